import { useState } from "react";
import type { Lorebook } from "@/shared/api/types";
import { ago, plural } from "@/shared/format";
import { Button, Dialog } from "@/shared/ui";

interface LorebookItemProps {
  book: Lorebook;
  onOpen: () => void;
  onDelete: () => void;
}

export function LorebookItem({ book, onOpen, onDelete }: LorebookItemProps) {
  const [asks, setAsks] = useState(false);
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
      <Button size="small" look="quiet" aria-label={`Delete ${name}`} onClick={() => setAsks(true)}>
        Delete
      </Button>
      <Dialog open={asks} onClose={() => setAsks(false)} title="Delete this lorebook?">
        <p className="text-2">
          {name} and its {plural(entryCount, "entry", "entries")} go for good.
        </p>
        <div className="row">
          <Button onClick={() => setAsks(false)}>Keep it</Button>
          <Button
            look="rouge"
            onClick={() => {
              setAsks(false);
              onDelete();
            }}
          >
            Delete
          </Button>
        </div>
      </Dialog>
    </li>
  );
}
