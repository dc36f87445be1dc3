import { queryClient } from "@/shared/api/query";
import { readToken } from "@/shared/api/token";
import type { CharacterPage } from "@/shared/api/types";

/**
 * Takes the answer that came with the page (`Head::answer` of the BFF), which the app would ask for first. It is a
 * visitor's, and may be a minute old: it is shown at once, and asked for meanwhile.
 */
export function takeAnswer(): void {
  const answer = document.getElementById("answer")?.textContent;
  if (!answer || readToken()) return;
  const page: CharacterPage = JSON.parse(answer);
  queryClient.setQueryData(["character", page.character._id], page, { updatedAt: 0 });
}
