import { Share, SquarePlus } from "lucide-react";
import { useInstall } from "@/shared/install";
import { Dialog } from "@/shared/ui";

/** How to put the app on an iPhone's home screen. */
export function InstallDialog() {
  const { open, hide } = useInstall();
  return (
    <Dialog open={open} onClose={hide} title="Install App" closable>
      <p className="text-2">On an iPhone, in Safari:</p>
      <ol className="install-steps">
        <li className="note">
          <Share className="icon" />
          <span>
            Tap <b>Share</b>
          </span>
        </li>
        <li className="note">
          <SquarePlus className="icon" />
          <span>
            Then <b>Add to Home Screen</b>
          </span>
        </li>
      </ol>
    </Dialog>
  );
}
