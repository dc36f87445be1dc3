import { Maximize2, UserRound } from "lucide-react";
import { useState } from "react";
import type { Character } from "@/shared/api/types";
import { poster, sized } from "@/shared/media";
import { Dialog, IconButton } from "@/shared/ui";
import { useMessages } from "../i18n";

/** The portrait; a click makes it large. */
export function Poster({ character }: { character: Character }) {
  const t = useMessages("poster");
  const [large, setLarge] = useState(false);
  const { imageUrl, name, portraitPending, deluxe } = character;
  return (
    <div className={deluxe ? "char-poster bill deluxe" : "char-poster bill"}>
      {imageUrl ? (
        <div className="bill-art">
          <button
            type="button"
            className="poster-open"
            aria-label={t("enlargeName", { name })}
            onClick={() => setLarge(true)}
          >
            <img
              {...poster(imageUrl)}
              alt={t("portrait", { name })}
              width={832}
              height={1216}
              fetchPriority="high"
            />
          </button>
          <IconButton label={t("enlarge")} className="zoom" onClick={() => setLarge(true)}>
            <Maximize2 className="icon" />
          </IconButton>
        </div>
      ) : (
        <div className="bill-art" role={portraitPending ? "status" : undefined}>
          <UserRound className="bill-blank" strokeWidth={0.75} />
          {portraitPending && <p className="poster-wait">{t("painted")}</p>}
        </div>
      )}
      {imageUrl && (
        <Dialog open={large} onClose={() => setLarge(false)} title={name} className="poster-large" closable>
          <img src={sized(imageUrl, "full")} alt={t("portrait", { name })} width={832} height={1216} />
        </Dialog>
      )}
    </div>
  );
}
