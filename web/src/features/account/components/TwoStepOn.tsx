import { type FormEvent, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import { MAX_PASSWORD_CHARS } from "@/shared/limits";
import { toast } from "@/shared/toast";
import { Button, Dialog, PasswordField, TextField } from "@/shared/ui";
import { know } from "../api";
import { beginTwoStep, confirmTwoStep, spaced, type TwoStepSecret } from "../security";
import { QrCode } from "./QrCode";
import { RecoveryCodes } from "./RecoveryCodes";

const FAILED = "Two-step login could not be turned on. Please try again.";

function AskPassword({
  onBegun,
  onClose,
}: {
  onBegun: (secret: TwoStepSecret) => void;
  onClose: () => void;
}) {
  const [password, setPassword] = useState("");
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      onBegun(await beginTwoStep(password));
    } catch (failed) {
      setError(messageOf(failed, FAILED));
      setBusy(false);
    }
  };
  return (
    <form className="dialog-form" onSubmit={submit}>
      <p className="text-2">
        A login then also asks for a code of an authenticator app on your phone. First, your password.
      </p>
      <PasswordField
        label="Password"
        autoComplete="current-password"
        maxLength={MAX_PASSWORD_CHARS}
        data-focus=""
        value={password}
        error={error}
        onChange={(event) => setPassword(event.target.value)}
      />
      <div className="row">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="lit" type="submit" busy={busy} disabled={password === ""}>
          Continue
        </Button>
      </div>
    </form>
  );
}

function AskCode({ secret, onCodes }: { secret: TwoStepSecret; onCodes: (codes: string[]) => void }) {
  const [code, setCode] = useState("");
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      onCodes((await confirmTwoStep(code.trim())).recoveryCodes);
    } catch (failed) {
      setError(messageOf(failed, FAILED));
      setBusy(false);
    }
  };
  return (
    <form className="dialog-form" onSubmit={submit}>
      <p className="text-2">
        Scan this with your authenticator app, type the key into it, or{" "}
        <a className="link" href={secret.uri}>
          open the app on this device
        </a>
        . Then enter the six digits it shows.
      </p>
      <QrCode text={secret.uri} />
      <p className="secret">
        <span className="label">Key</span>
        <code className="num">{spaced(secret.secret)}</code>
      </p>
      <TextField
        label="Code of the app"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={8}
        autoFocus
        value={code}
        error={error}
        onChange={(event) => setCode(event.target.value)}
      />
      <div className="row">
        <Button look="lit" type="submit" busy={busy} disabled={code.trim() === ""}>
          Turn on
        </Button>
      </div>
    </form>
  );
}

/** Password, key, first code, recovery codes. The second step counts from the first code on. */
export function TwoStepOn({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [secret, setSecret] = useState<TwoStepSecret | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const turnedOn = (fresh: string[]) => {
    know({ twoStep: true });
    setCodes(fresh);
  };
  const close = () => {
    if (codes) toast.success("Two-step login is on.");
    setSecret(null);
    setCodes(null);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={codes ? "Recovery codes" : secret ? "Connect your app" : "Turn on two-step login"}
      closable
    >
      {codes ? (
        <RecoveryCodes codes={codes} onDone={close} />
      ) : secret ? (
        <AskCode secret={secret} onCodes={turnedOn} />
      ) : (
        <AskPassword onBegun={setSecret} onClose={close} />
      )}
    </Dialog>
  );
}
