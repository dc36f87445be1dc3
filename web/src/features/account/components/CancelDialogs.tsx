import { messageOf } from "@/shared/api/errors";
import { paths } from "@/shared/paths";
import { toast } from "@/shared/toast";
import { Button, ButtonLink, Dialog } from "@/shared/ui";
import { useCancelSubscription } from "../api";
import { useMessages } from "../i18n";

interface CancelDialogProps {
  open: boolean;
  onClose: () => void;
}

export function CancelDialog({ open, onClose }: CancelDialogProps) {
  const t = useMessages("plan");
  const cancel = useCancelSubscription();
  const confirm = () =>
    cancel.mutate(undefined, {
      onSuccess: ({ msg }) => toast.success(msg),
      onError: (error) => toast.error(messageOf(error, t("cancelFailed"))),
      onSettled: onClose,
    });
  return (
    <Dialog open={open} onClose={onClose} title={t("cancelAsk")} className="cancel-ask">
      <p className="text-2">{t("cancelText")}</p>
      <div className="row">
        <Button onClick={onClose}>{t("keep")}</Button>
        <Button look="rouge" busy={cancel.isPending} onClick={confirm}>
          {t("cancel")}
        </Button>
      </div>
    </Dialog>
  );
}

/** For those who have nothing to cancel. */
export function NotSubscribed({ open, onClose }: CancelDialogProps) {
  const t = useMessages("plan");
  return (
    <Dialog open={open} onClose={onClose} title={t("notSubscribed")} closable>
      <p className="text-2">{t("notSubscribedText")}</p>
      <div className="row">
        <ButtonLink look="lit" to={paths.membership}>
          {t("membership")}
        </ButtonLink>
      </div>
    </Dialog>
  );
}
