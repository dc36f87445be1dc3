import { useState } from "react";
import { FREE_CHAT_MESSAGES } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Button, ButtonLink, Dialog } from "@/shared/ui";

interface DialogProps {
  open: boolean;
  onClose: () => void;
}

/** The free evening is over. */
export function SubscribeDialog({ open, onClose }: DialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="The scene goes on for members" closable>
      <p className="text-2">
        Free chats hold {FREE_CHAT_MESSAGES} messages. With a membership this one continues where you are, and
        nothing of it is lost.
      </p>
      <div className="row">
        <Button onClick={onClose}>Not now</Button>
        <ButtonLink look="lit" to={paths.membership}>
          Subscribe
        </ButtonLink>
      </div>
    </Dialog>
  );
}

export function ClearDialog({ open, onClose, onClear }: DialogProps & { onClear: () => Promise<boolean> }) {
  const [busy, setBusy] = useState(false);
  const clear = async () => {
    setBusy(true);
    await onClear();
    setBusy(false);
    onClose();
  };
  return (
    <Dialog open={open} onClose={onClose} title="Clear this chat?">
      <p className="text-2">Everything after the greeting goes. For a day you can bring it back.</p>
      <div className="row">
        <Button onClick={onClose}>Keep it</Button>
        <Button look="rouge" busy={busy} onClick={clear}>
          Clear Chat
        </Button>
      </div>
    </Dialog>
  );
}
