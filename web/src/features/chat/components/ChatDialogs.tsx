import { useState } from "react";
import { FREE_CHAT_MESSAGES } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Button, ButtonLink, Dialog } from "@/shared/ui";
import { useMessages } from "../i18n";

interface DialogProps {
  open: boolean;
  onClose: () => void;
}

/** The free evening is over. */
export function SubscribeDialog({ open, onClose }: DialogProps) {
  const t = useMessages("talk");
  return (
    <Dialog open={open} onClose={onClose} title={t("membersOnly")} closable>
      <p className="text-2">{t("freeSpent", { count: FREE_CHAT_MESSAGES })}</p>
      <div className="row">
        <Button onClick={onClose}>{t("notNow")}</Button>
        <ButtonLink look="lit" to={paths.membership}>
          {t("subscribe")}
        </ButtonLink>
      </div>
    </Dialog>
  );
}

export function ClearDialog({ open, onClose, onClear }: DialogProps & { onClear: () => Promise<boolean> }) {
  const t = useMessages("talk");
  const [busy, setBusy] = useState(false);
  const clear = async () => {
    setBusy(true);
    await onClear();
    setBusy(false);
    onClose();
  };
  return (
    <Dialog open={open} onClose={onClose} title={t("clearTitle")}>
      <p className="text-2">{t("clearText")}</p>
      <div className="row">
        <Button onClick={onClose}>{t("keepIt")}</Button>
        <Button look="rouge" busy={busy} onClick={clear}>
          {t("clear")}
        </Button>
      </div>
    </Dialog>
  );
}
