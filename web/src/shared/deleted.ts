import { type InfiniteData, type QueryClient, queryOptions, useQueryClient } from "@tanstack/react-query";
import { api } from "./api/client";
import { messageOf } from "./api/errors";
import type { CharacterList, DeletedCharacter } from "./api/types";
import { toast } from "./toast";
import { messages } from "./ui/i18n";

/** One's own deleted characters, the newest deletion first. */
export const deletedOptions = queryOptions({
  queryKey: ["characters", "deleted"],
  queryFn: ({ signal }) =>
    api
      .get<{ characters: DeletedCharacter[] }>("characters/deleted", { signal })
      .then((answer) => answer.characters),
});

type Who = { _id: string; name: string };
type Pages = InfiniteData<CharacterList>;
/** The lists of one's own characters, as `characterList` keys them. */
const OWN = ["characters", "characters/tag/me"] as const;

const without = (pages: Pages | undefined, id: string): Pages | undefined =>
  pages && {
    ...pages,
    pages: pages.pages.map((page) => ({
      ...page,
      characters: page.characters.filter((character) => character._id !== id),
    })),
  };

async function restore(client: QueryClient, { _id, name }: Who): Promise<void> {
  const before = client.getQueryData(deletedOptions.queryKey);
  client.setQueryData(deletedOptions.queryKey, (list) => list?.filter((d) => d.character._id !== _id));
  try {
    await api.post(`characters/${_id}/restore`, { json: {} });
    toast.success(messages("deletion")("back", { name }));
  } catch (error) {
    client.setQueryData(deletedOptions.queryKey, before);
    toast.error(messageOf(error, messages("deletion")("backFailed", { name })));
  }
  void client.invalidateQueries({ queryKey: ["character", _id] });
  void client.invalidateQueries({ queryKey: ["characters"] });
}

async function remove(client: QueryClient, who: Who): Promise<boolean> {
  await client.cancelQueries({ queryKey: OWN });
  const before = client.getQueriesData<Pages>({ queryKey: OWN });
  client.setQueriesData<Pages>({ queryKey: OWN }, (pages) => without(pages, who._id));
  try {
    await api.delete(`characters/${who._id}`);
  } catch (error) {
    for (const [key, pages] of before) client.setQueryData(key, pages);
    toast.error(messageOf(error, messages("deletion")("deleteFailed", who)));
    return false;
  }
  toast.undo(messages("deletion")("deleted", who), () => void restore(client, who));
  client.removeQueries({ queryKey: ["character", who._id] });
  void client.invalidateQueries({ queryKey: ["characters"] });
  return true;
}

/** Deletes a character of one's own at once, with Undo beside it; for 30 days it can be restored as well. */
export function useDeleteCharacter(): (who: Who) => Promise<boolean> {
  const client = useQueryClient();
  return (who) => remove(client, who);
}

export function useRestoreCharacter(): (who: Who) => Promise<void> {
  const client = useQueryClient();
  return (who) => restore(client, who);
}
