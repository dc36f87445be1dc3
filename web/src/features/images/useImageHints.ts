import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { onHint } from "@/shared/hints";
import { refreshProfile } from "@/shared/session";
import { refreshImage } from "./api";

const PROGRESS = "image.progress";

/** Hints about pictures of ours: how far one is, it alone is read; anything else, the gallery with the coins. */
export function useImageHints() {
  const client = useQueryClient();
  useEffect(
    () =>
      onHint((hint) => {
        if (hint.type === PROGRESS && hint.id) refreshImage(client, hint.id).catch(() => undefined);
        else if (hint.type.startsWith("image.")) {
          void client.invalidateQueries({ queryKey: ["images"] });
          refreshProfile().catch(() => undefined);
        }
      }),
    [client],
  );
}
