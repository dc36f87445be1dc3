import { useQuery } from "@tanstack/react-query";
import { RotateCcw, UserRound } from "lucide-react";
import { useState } from "react";
import type { DeletedCharacter } from "@/shared/api/types";
import { deletedOptions, useRestoreCharacter } from "@/shared/deleted";
import { dayOf } from "@/shared/format";
import { sized } from "@/shared/media";
import { Button, Failure } from "@/shared/ui";
import { useMessages } from "../i18n";

function Row({ entry: { character, erasedAt } }: { entry: DeletedCharacter }) {
  const t = useMessages("deleted");
  const restore = useRestoreCharacter();
  const [busy, setBusy] = useState(false);
  // A deleted character's picture may be closed to everybody until it is back.
  const [blank, setBlank] = useState(character.imageUrl === null);
  const bringBack = async () => {
    setBusy(true);
    await restore(character);
    setBusy(false);
  };
  return (
    <li className="gone">
      <span className="tile">
        {character.imageUrl && !blank ? (
          <img
            src={sized(character.imageUrl, "thumb")}
            alt=""
            width={240}
            height={320}
            loading="lazy"
            onError={() => setBlank(true)}
          />
        ) : (
          <UserRound className="icon" />
        )}
      </span>
      <span>
        <b>{character.name}</b>
        <span className="text-3 num">{t("kept", { day: dayOf(erasedAt) })}</span>
      </span>
      <Button
        size="small"
        busy={busy}
        aria-label={t("restoreName", { name: character.name })}
        onClick={() => void bringBack()}
      >
        <RotateCcw className="icon s" />
        {t("restore")}
      </Button>
    </li>
  );
}

/** One's own characters that were deleted and can still come back. Says nothing while there are none. */
export function Deleted() {
  const t = useMessages("deleted");
  const { data, isError, refetch } = useQuery(deletedOptions);
  if (isError && !data) {
    return (
      <section className="section">
        <Failure message={t("failed")} onRetry={() => void refetch()} />
      </section>
    );
  }
  if (!data?.length) return null;
  return (
    <section className="section" aria-labelledby="deleted">
      <div className="section-head">
        <h2 id="deleted">{t("title")}</h2>
      </div>
      <ul className="gone-list">
        {data.map((entry) => (
          <Row key={entry.character._id} entry={entry} />
        ))}
      </ul>
    </section>
  );
}
