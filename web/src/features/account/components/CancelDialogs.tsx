import { messageOf } from "@/shared/api/errors";
import { paths } from "@/shared/paths";
import { toast } from "@/shared/toast";
import { Button, ButtonLink, Dialog } from "@/shared/ui";
import { useCancelSubscription } from "../api";

const QUESTION = "Positive? Are you sure you want to cancel your subscription?";
const FAILED = "Failed to cancel subscription. Please try again.";

interface CancelDialogProps {
  open: boolean;
  onClose: () => void;
}

export function CancelDialog({ open, onClose }: CancelDialogProps) {
  const cancel = useCancelSubscription();
  const confirm = () =>
    cancel.mutate(undefined, {
      onSuccess: ({ msg }) => toast.success(msg),
      onError: (error) => toast.error(messageOf(error, FAILED)),
      onSettled: onClose,
    });
  return (
    <Dialog open={open} onClose={onClose} title={QUESTION} className="cancel-ask">
      <p className="text-2">You keep what you have paid for until the end of its term.</p>
      <div className="row">
        <Button onClick={onClose}>Keep my seat</Button>
        <Button look="rouge" busy={cancel.isPending} onClick={confirm}>
          Cancel Plan
        </Button>
      </div>
    </Dialog>
  );
}

/** For those who have nothing to cancel. */
export function NotSubscribed({ open, onClose }: CancelDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="You aren't subscribed!" closable>
      <p className="text-2">There is nothing to cancel. Memberships begin at the box office.</p>
      <div className="row">
        <ButtonLink look="lit" to={paths.membership}>
          Membership
        </ButtonLink>
      </div>
    </Dialog>
  );
}
