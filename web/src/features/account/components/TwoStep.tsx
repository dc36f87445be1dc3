import { type FormEvent, useState } from "react";
import { ApiError } from "@/shared/api/errors";
import type { User } from "@/shared/api/types";
import { useAttempt } from "@/shared/hooks/useAttempt";
import { toast } from "@/shared/toast";
import { Button, Dialog, TextField } from "@/shared/ui";
import { know } from "../api";
import { useMessages } from "../i18n";
import { endTwoStep, renewRecoveryCodes } from "../security";
import { PasswordAgain } from "./PasswordAgain";
import { RecoveryCodes } from "./RecoveryCodes";
import { TwoStepOn } from "./TwoStepOn";

/** New recovery codes for a code of the app; the old ones are dead then. */
function NewCodes({ onClose }: { onClose: () => void }) {
  const t = useMessages("twoStep");
  const [code, setCode] = useState("");
  const [codes, setCodes] = useState<string[] | null>(null);
  const { busy, error, attempt } = useAttempt();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(
      async () => setCodes((await renewRecoveryCodes(code.trim())).recoveryCodes),
      t("codesFailed"),
    );
  };
  return (
    <Dialog open onClose={onClose} title={t("newCodes")} closable>
      {codes ? (
        <RecoveryCodes codes={codes} onDone={onClose} />
      ) : (
        <form className="dialog-form" onSubmit={submit}>
          <p className="text-2">{t("oldStop")}</p>
          <TextField
            label={t("code")}
            inputMode="numeric"
            autoComplete="one-time-code"
            data-focus=""
            value={code}
            error={error}
            onChange={(event) => setCode(event.target.value)}
          />
          <div className="row">
            <Button onClick={onClose}>{t("cancel")}</Button>
            <Button look="lit" type="submit" busy={busy} disabled={code.trim() === ""}>
              {t("makeCodes")}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function TurnOff({ onClose }: { onClose: () => void }) {
  const t = useMessages("twoStep");
  const [code, setCode] = useState("");
  const [error, setError] = useState<string>();
  const end = async (password: string) => {
    setError(undefined);
    try {
      const { msg } = await endTwoStep({ password, code: code.trim() });
      know({ twoStep: false });
      toast.success(msg);
      onClose();
    } catch (failed) {
      if (!(failed instanceof ApiError && failed.code === "step_code_wrong")) throw failed;
      setError(failed.message);
    }
  };
  return (
    <Dialog open onClose={onClose} title={t("offTitle")}>
      <PasswordAgain
        lead={t("offLead")}
        label={t("password")}
        keep={t("keepOn")}
        go={t("turnOff")}
        failed={t("offFailed")}
        ready={code.trim() !== ""}
        after={
          <TextField
            label={t("codeOrRecovery")}
            autoComplete="one-time-code"
            value={code}
            error={error}
            onChange={(event) => setCode(event.target.value)}
          />
        }
        onKeep={onClose}
        onGo={end}
      />
    </Dialog>
  );
}

/** The second step of a login: on or off, and its recovery codes. */
export function TwoStep({ user }: { user: User }) {
  const t = useMessages("twoStep");
  const [open, setOpen] = useState<"on" | "off" | "codes" | null>(null);
  const close = () => setOpen(null);
  return (
    // The button that opened a dialog may be another one when it has closed: the section takes the focus then.
    <section aria-labelledby="two-step" tabIndex={-1}>
      <h2 id="two-step">
        {t.rich("title", {
          state: user.twoStep ? "on" : "off",
          badge: (text) => <span className="badge">{text}</span>,
        })}
      </h2>
      <p className="text-2">{user.twoStep ? t("on") : t("off")}</p>
      <div className="plan-foot">
        {user.twoStep ? (
          <>
            <Button onClick={() => setOpen("codes")}>{t("newCodes")}</Button>
            <Button look="quiet" onClick={() => setOpen("off")}>
              {t("turnOff")}
            </Button>
          </>
        ) : (
          <Button onClick={() => setOpen("on")}>{t("turnOn")}</Button>
        )}
      </div>
      <TwoStepOn open={open === "on"} onClose={close} />
      {open === "codes" && <NewCodes onClose={close} />}
      {open === "off" && <TurnOff onClose={close} />}
    </section>
  );
}
