import { FilePenLine, Trash2 } from "lucide-react";
import { cut } from "@/shared/brief";
import { ago } from "@/shared/format";
import { Button, IconButton } from "@/shared/ui";
import type { Draft } from "../drafts";
import { messages, useMessages } from "../i18n";

/** Characters of a draft's name. */
const NAME_CHARS = 60;

interface DraftsProps {
  drafts: readonly Draft[];
  onResume: (draft: Draft) => Promise<void>;
  onDiscard: (draft: Draft) => void;
}

const nameOf = ({ values }: Draft) =>
  cut(values.name.trim() || values.description.trim() || messages("drafts")("unnamed"), NAME_CHARS);

/** What was written here before and never sent. */
export function Drafts({ drafts, onResume, onDiscard }: DraftsProps) {
  const t = useMessages("drafts");
  if (drafts.length === 0) return null;
  return (
    <section className="drafts" aria-label={t("title")}>
      <p className="hint">{t("lead")}</p>
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
              aria-label={t("continueName", { name: nameOf(draft) })}
            >
              {t("continue")}
            </Button>
            <IconButton
              small
              label={t("deleteName", { name: nameOf(draft) })}
              onClick={() => onDiscard(draft)}
            >
              <Trash2 className="icon s" />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
