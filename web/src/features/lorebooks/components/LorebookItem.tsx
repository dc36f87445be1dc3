import type { Lorebook } from "@/shared/api/types";
import { ago } from "@/shared/format";
import { useSpoken } from "@/shared/i18n";
import { Button } from "@/shared/ui";
import { useMessages } from "../i18n";

interface LorebookItemProps {
  book: Lorebook;
  onOpen: () => void;
  onDelete: () => void;
}

export function LorebookItem({ book, onOpen, onDelete }: LorebookItemProps) {
  const t = useMessages("lore");
  const language = useSpoken((spoken) => spoken.language);
  const { name, enabled, entryCount, characterIds, updatedAt } = book;
  return (
    <li className="lorebook">
      <button type="button" className="lorebook-open" onClick={onOpen}>
        <b>{name}</b>
        <span className="num">
          {t("entries", { count: entryCount })},{" "}
          {characterIds.length === 0 ? t("forAll") : t("forSome", { count: characterIds.length })}
        </span>
        <small className="num">
          {t("standing", { state: t(enabled ? "inUse" : "off"), ago: ago(updatedAt, undefined, language) })}
        </small>
      </button>
      <Button size="small" look="quiet" aria-label={t("deleteName", { name })} onClick={onDelete}>
        {t("delete")}
      </Button>
    </li>
  );
}
