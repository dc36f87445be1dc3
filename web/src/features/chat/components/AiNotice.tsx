import { ChevronDown, ShieldCheck } from "lucide-react";
import { useState } from "react";
import type { ChatPage } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { Button } from "@/shared/ui";
import { useMessages } from "../i18n";

interface NoticeProps {
  page: ChatPage;
  speaker: string;
  /** The reader has said something: the notice was there to be read before that. */
  spoken: boolean;
}

/**
 * Always there, under the header: an AI speaks, and what that means for the reader. At the first contact in a chat
 * it stands open until it is dismissed.
 */
export function AiNotice({ page, speaker, spoken }: NoticeProps) {
  const t = useMessages("talk");
  const { chatId, engine, aiNotice, character } = page;
  const dismissed = useRoot((state) => state.noticed.includes(chatId));
  const notice = useRoot((state) => state.notice);
  const [first] = useState(aiNotice);
  const asks = first !== null && !dismissed && !spoken;
  const [open, setOpen] = useState(false);
  return (
    <details
      className="safe"
      open={open || asks}
      onToggle={(event) => {
        // The reader's own closing counts as having read it; that it opened by itself is not their doing.
        if (!asks) setOpen(event.currentTarget.open);
        else if (!event.currentTarget.open) notice(chatId);
      }}
    >
      <summary>
        <ShieldCheck className="icon s" />
        <span>{t("isAi", { name: speaker })}</span>
        {engine.offline && <span className="badge">{t("offlineEngine")}</span>}
        <ChevronDown className="icon s" />
      </summary>
      <p>
        {first !== null && `${t("aiContact", { name: character.name })} `}
        {t("safe")}
        {engine.offline && ` ${t("offlineHouse", { engine: engine.name })}`}
      </p>
      {asks && (
        <div className="safe-row">
          <Button
            size="small"
            onClick={() => {
              notice(chatId);
              setOpen(false);
            }}
          >
            {t("understood")}
          </Button>
        </div>
      )}
    </details>
  );
}
