import { CircleCheck, MonitorDown, Share, SquarePlus } from "lucide-react";
import { isInstalled, useInstall } from "@/shared/install";
import { toast } from "@/shared/toast";
import { Button, Dialog } from "@/shared/ui";

function Steps() {
  return (
    <>
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
    </>
  );
}

/** Puts the app on the home screen: by the browser's own question where it has one, else by the steps of an iPhone. */
export function InstallDialog() {
  const { open, hide, offer, install } = useInstall();
  const start = async () => {
    const installed = await install();
    hide();
    if (installed) toast.success("Installed. You will find it among your apps.");
  };
  return (
    <Dialog open={open} onClose={hide} title="Install App" closable>
      {open && isInstalled() ? (
        <p className="note">
          <CircleCheck className="icon" />
          It is installed, and this is it.
        </p>
      ) : (
        <>
          {offer ? (
            <>
              <p className="text-2">It opens like any other app, without the browser around it.</p>
              <Button look="lit" wide data-focus="" onClick={() => void start()}>
                <MonitorDown className="icon s" />
                Install
              </Button>
            </>
          ) : (
            <p className="text-2">
              On a computer or an Android phone, open the menu of your browser and choose Install app.
            </p>
          )}
          <Steps />
        </>
      )}
    </Dialog>
  );
}
