import { CircleCheck, MonitorDown, Share, SquarePlus } from "lucide-react";
import type { ReactNode } from "react";
import { isInstalled, useInstall } from "@/shared/install";
import { toast } from "@/shared/toast";
import { Button, Dialog } from "@/shared/ui";
import { useMessages } from "../i18n";

const b = (text: ReactNode) => <b>{text}</b>;

function Steps() {
  const t = useMessages("install");
  return (
    <>
      <p className="text-2">{t("onIphone")}</p>
      <ol className="install-steps">
        <li className="note">
          <Share className="icon" />
          <span>{t.rich("share", { b })}</span>
        </li>
        <li className="note">
          <SquarePlus className="icon" />
          <span>{t.rich("add", { b })}</span>
        </li>
      </ol>
    </>
  );
}

/** Puts the app on the home screen: by the browser's own question where it has one, else by the steps of an iPhone. */
export function InstallDialog() {
  const t = useMessages("install");
  const { open, hide, offer, install } = useInstall();
  const start = async () => {
    const installed = await install();
    hide();
    if (installed) toast.success(t("done"));
  };
  return (
    <Dialog open={open} onClose={hide} title={t("title")} closable>
      {open && isInstalled() ? (
        <p className="note">
          <CircleCheck className="icon" />
          {t("already")}
        </p>
      ) : (
        <>
          {offer ? (
            <>
              <p className="text-2">{t("why")}</p>
              <Button look="lit" wide data-focus="" onClick={() => void start()}>
                <MonitorDown className="icon s" />
                {t("install")}
              </Button>
            </>
          ) : (
            <p className="text-2">{t("byMenu")}</p>
          )}
          <Steps />
        </>
      )}
    </Dialog>
  );
}
