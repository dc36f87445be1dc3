import type { Lorebook } from "@/shared/api/types";
import { ago, plural } from "@/shared/format";
import { Button } from "@/shared/ui";

interface LorebookItemProps {
  book: Lorebook;
  onOpen: () => void;
  onDelete: () => void;
}

export function LorebookItem({ book, onOpen, onDelete }: LorebookItemProps) {
  const { name, enabled, entryCount, characterIds, updatedAt } = book;
  return (
    <li className="lorebook">
      <button type="button" className="lorebook-open" onClick={onOpen}>
        <b>{name}</b>
        <span className="num">
          {plural(entryCount, "entry", "entries")},{" "}
          {characterIds.length === 0
            ? "for every character"
            : `for ${plural(characterIds.length, "character")}`}
        </span>
        <small className="num">
          {enabled ? "In use" : "Off"}, changed {ago(updatedAt)}
        </small>
      </button>
      <Button size="small" look="quiet" aria-label={`Delete ${name}`} onClick={onDelete}>
        Delete
      </Button>
    </li>
  );
}
