import { type FormEvent, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { User } from "@/shared/api/types";
import { MAX_PASSWORD_CHARS } from "@/shared/limits";
import { toast } from "@/shared/toast";
import { Button, Dialog, PasswordField, TextField } from "@/shared/ui";
import { know } from "../api";
import { useMessages } from "../i18n";
import { endTwoStep, renewRecoveryCodes } from "../security";
import { RecoveryCodes } from "./RecoveryCodes";
import { TwoStepOn } from "./TwoStepOn";

interface DialogProps {
  open: boolean;
  onClose: () => void;
}

/** New recovery codes for a code of the app; the old ones are dead then. */
function NewCodes({ open, onClose }: DialogProps) {
  const t = useMessages("twoStep");
  const [code, setCode] = useState("");
  const [error, setError] = useState<string>();
  const [codes, setCodes] = useState<string[] | null>(null);
  const close = () => {
    setCode("");
    setError(undefined);
    setCodes(null);
    onClose();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      setCodes((await renewRecoveryCodes(code.trim())).recoveryCodes);
    } catch (failed) {
      setError(messageOf(failed, t("codesFailed")));
    }
  };
  return (
    <Dialog open={open} onClose={close} title={t("newCodes")} closable>
      {codes ? (
        <RecoveryCodes codes={codes} onDone={close} />
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
            <Button onClick={close}>{t("cancel")}</Button>
            <Button look="lit" type="submit" disabled={code.trim() === ""}>
              {t("makeCodes")}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function TurnOff({ open, onClose }: DialogProps) {
  const t = useMessages("twoStep");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const close = () => {
    setPassword("");
    setCode("");
    setError(undefined);
    onClose();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const { msg } = await endTwoStep({ password, code: code.trim() });
      know({ twoStep: false });
      toast.success(msg);
      close();
    } catch (failed) {
      setError(messageOf(failed, t("offFailed")));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={open} onClose={close} title={t("offTitle")}>
      <form className="dialog-form" onSubmit={submit}>
        <p className="text-2">{t("offLead")}</p>
        <PasswordField
          label={t("password")}
          autoComplete="current-password"
          maxLength={MAX_PASSWORD_CHARS}
          data-focus=""
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <TextField
          label={t("codeOrRecovery")}
          autoComplete="one-time-code"
          value={code}
          error={error}
          onChange={(event) => setCode(event.target.value)}
        />
        <div className="row">
          <Button onClick={close}>{t("keepOn")}</Button>
          <Button look="rouge" type="submit" busy={busy} disabled={password === "" || code.trim() === ""}>
            {t("turnOff")}
          </Button>
        </div>
      </form>
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
      <NewCodes open={open === "codes"} onClose={close} />
      <TurnOff open={open === "off"} onClose={close} />
    </section>
  );
}
