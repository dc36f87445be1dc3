import type { ReactNode } from "react";
import { Dialog } from "@/shared/ui";
import { useMessages } from "../i18n";
import { BranchesDialog } from "./BranchesDialog";
import { ClearDialog, SubscribeDialog } from "./ChatDialogs";
import { ExportDialog } from "./ExportDialog";
import { MemoryDialog } from "./MemoryDialog";
import { PromptDialog } from "./PromptDialog";
import { SamplingDialog } from "./SamplingDialog";

/** What is open over the talk; `sees`: the reply in question. */
export type Panel =
  | "programme"
  | "subscribe"
  | "clear"
  | "sampling"
  | "branches"
  | "export"
  | "memories"
  | { sees: string | null };

interface TalkPanelsProps {
  panel: Panel | null;
  chatId: string;
  /** How the character is called. */
  character: string;
  /** Whom the reader plays. */
  own: string;
  persona: string | undefined;
  /** The programme, as it stands beside the talk where there is room. */
  programme: ReactNode;
  onClose: () => void;
  onClear: () => Promise<boolean>;
  onSubscribe: () => void;
  /** Leads to a message; `leaf`: to the newest end of its branch. */
  onGo: (messageId: string, to?: { leaf: boolean }) => void;
}

/** The rooms beside the talk, one at a time. */
export function TalkPanels(props: TalkPanelsProps) {
  const { panel, chatId, character, own, persona, programme, onClose, onGo } = props;
  const title = useMessages("scene")("about");
  const go: TalkPanelsProps["onGo"] = (id, to) => {
    onClose();
    onGo(id, to);
  };
  return (
    <>
      <Dialog
        open={panel === "programme"}
        onClose={onClose}
        title={title}
        closable
        className="programme-sheet"
      >
        {programme}
      </Dialog>
      <SubscribeDialog open={panel === "subscribe"} onClose={onClose} />
      <ClearDialog open={panel === "clear"} onClose={onClose} onClear={props.onClear} />
      {panel === "branches" && (
        <BranchesDialog
          {...{ chatId, character, own, onClose }}
          onGo={(messageId) => go(messageId, { leaf: true })}
        />
      )}
      {panel === "export" && <ExportDialog chatId={chatId} onClose={onClose} />}
      {panel === "sampling" && (
        <SamplingDialog chatId={chatId} onClose={onClose} onSubscribe={props.onSubscribe} />
      )}
      {panel === "memories" && <MemoryDialog {...{ chatId, character, onClose }} onJump={go} />}
      {panel !== null && typeof panel === "object" && (
        <PromptDialog {...{ chatId, character, own, persona, onClose }} messageId={panel.sees} />
      )}
    </>
  );
}
