import { FilePenLine, Trash2 } from "lucide-react";
import { ago, cut } from "@/shared/format";
import { Button, IconButton } from "@/shared/ui";
import type { Draft } from "../drafts";

/** Characters of a draft's name. */
const NAME_CHARS = 60;

interface DraftsProps {
  drafts: readonly Draft[];
  onResume: (draft: Draft) => Promise<void>;
  onDiscard: (draft: Draft) => void;
}

const nameOf = ({ values }: Draft) =>
  cut(values.name.trim() || values.description.trim() || "Without a name yet", NAME_CHARS);

/** What was written here before and never sent. */
export function Drafts({ drafts, onResume, onDiscard }: DraftsProps) {
  if (drafts.length === 0) return null;
  return (
    <section className="drafts" aria-label="Drafts">
      <p className="hint">You left something in the wings. Drafts are kept on this device only.</p>
      <ul>
        {drafts.map((draft) => (
          <li key={draft.id}>
            <FilePenLine className="icon" />
            <p>
              <b>{nameOf(draft)}</b>
              <span className="hint">{ago(new Date(draft.savedAt).toISOString())}</span>
            </p>
            <Button
              size="small"
              onClick={() => void onResume(draft)}
              aria-label={`Continue ${nameOf(draft)}`}
            >
              Continue
            </Button>
            <IconButton small label={`Delete the draft ${nameOf(draft)}`} onClick={() => onDiscard(draft)}>
              <Trash2 className="icon s" />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
