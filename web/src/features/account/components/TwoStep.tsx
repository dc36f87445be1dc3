import { type FormEvent, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { User } from "@/shared/api/types";
import { MAX_PASSWORD_CHARS } from "@/shared/limits";
import { toast } from "@/shared/toast";
import { Button, Dialog, PasswordField, TextField } from "@/shared/ui";
import { know } from "../api";
import { endTwoStep, renewRecoveryCodes } from "../security";
import { RecoveryCodes } from "./RecoveryCodes";
import { TwoStepOn } from "./TwoStepOn";

interface DialogProps {
  open: boolean;
  onClose: () => void;
}

/** New recovery codes for a code of the app; the old ones are dead then. */
function NewCodes({ open, onClose }: DialogProps) {
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
      setError(messageOf(failed, "New codes could not be made. Please try again."));
    }
  };
  return (
    <Dialog open={open} onClose={close} title="New recovery codes" closable>
      {codes ? (
        <RecoveryCodes codes={codes} onDone={close} />
      ) : (
        <form className="dialog-form" onSubmit={submit}>
          <p className="text-2">The codes you have now stop working.</p>
          <TextField
            label="Code of the app"
            inputMode="numeric"
            autoComplete="one-time-code"
            data-focus=""
            value={code}
            error={error}
            onChange={(event) => setCode(event.target.value)}
          />
          <div className="row">
            <Button onClick={close}>Cancel</Button>
            <Button look="lit" type="submit" disabled={code.trim() === ""}>
              Make new codes
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

function TurnOff({ open, onClose }: DialogProps) {
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
      setError(messageOf(failed, "Two-step login could not be turned off. Please try again."));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open={open} onClose={close} title="Turn off two-step login?">
      <form className="dialog-form" onSubmit={submit}>
        <p className="text-2">Your password alone opens the account then.</p>
        <PasswordField
          label="Password"
          autoComplete="current-password"
          maxLength={MAX_PASSWORD_CHARS}
          data-focus=""
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <TextField
          label="Code of the app, or a recovery code"
          autoComplete="one-time-code"
          value={code}
          error={error}
          onChange={(event) => setCode(event.target.value)}
        />
        <div className="row">
          <Button onClick={close}>Keep it on</Button>
          <Button look="rouge" type="submit" busy={busy} disabled={password === "" || code.trim() === ""}>
            Turn off
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The second step of a login: on or off, and its recovery codes. */
export function TwoStep({ user }: { user: User }) {
  const [open, setOpen] = useState<"on" | "off" | "codes" | null>(null);
  const close = () => setOpen(null);
  return (
    // The button that opened a dialog may be another one when it has closed: the section takes the focus then.
    <section aria-labelledby="two-step" tabIndex={-1}>
      <h2 id="two-step">
        Two-step login <span className="badge">{user.twoStep ? "On" : "Off"}</span>
      </h2>
      <p className="text-2">
        {user.twoStep
          ? "A login asks for a code of your authenticator app, or for a recovery code."
          : "Whoever learns your password still needs your phone. Any authenticator app will do."}
      </p>
      <div className="plan-foot">
        {user.twoStep ? (
          <>
            <Button onClick={() => setOpen("codes")}>New recovery codes</Button>
            <Button look="quiet" onClick={() => setOpen("off")}>
              Turn off
            </Button>
          </>
        ) : (
          <Button onClick={() => setOpen("on")}>Turn on</Button>
        )}
      </div>
      <TwoStepOn open={open === "on"} onClose={close} />
      <NewCodes open={open === "codes"} onClose={close} />
      <TurnOff open={open === "off"} onClose={close} />
    </section>
  );
}
