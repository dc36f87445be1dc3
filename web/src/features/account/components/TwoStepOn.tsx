import { type FormEvent, useState } from "react";
import { useAttempt } from "@/shared/hooks/useAttempt";
import { toast } from "@/shared/toast";
import { Button, Dialog, TextField } from "@/shared/ui";
import { know } from "../api";
import { useMessages } from "../i18n";
import { beginTwoStep, confirmTwoStep, spaced, type TwoStepSecret } from "../security";
import { PasswordAgain } from "./PasswordAgain";
import { QrCode } from "./QrCode";
import { RecoveryCodes } from "./RecoveryCodes";

function AskCode({ secret, onCodes }: { secret: TwoStepSecret; onCodes: (codes: string[]) => void }) {
  const t = useMessages("twoStep");
  const [code, setCode] = useState("");
  const { busy, error, attempt } = useAttempt();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => onCodes((await confirmTwoStep(code.trim())).recoveryCodes), t("onFailed"));
  };
  return (
    <form className="dialog-form" onSubmit={submit}>
      <p className="text-2">
        {t.rich("scan", {
          link: (text) => (
            <a className="link" href={secret.uri}>
              {text}
            </a>
          ),
        })}
      </p>
      <QrCode text={secret.uri} />
      <p className="secret">
        <span className="label">{t("key")}</span>
        <code className="num">{spaced(secret.secret)}</code>
      </p>
      <TextField
        label={t("code")}
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
          {t("turnOn")}
        </Button>
      </div>
    </form>
  );
}

/** Password, key, first code, recovery codes. The second step counts from the first code on. */
export function TwoStepOn({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useMessages("twoStep");
  const recovery = useMessages("recovery");
  const [secret, setSecret] = useState<TwoStepSecret | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const turnedOn = (fresh: string[]) => {
    know({ twoStep: true });
    setCodes(fresh);
  };
  const close = () => {
    if (codes) toast.success(t("isOn"));
    setSecret(null);
    setCodes(null);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={codes ? recovery("title") : secret ? t("connect") : t("onTitle")}
      closable
    >
      {codes ? (
        <RecoveryCodes codes={codes} onDone={close} />
      ) : secret ? (
        <AskCode secret={secret} onCodes={turnedOn} />
      ) : (
        <PasswordAgain
          lead={t("onLead")}
          label={t("password")}
          keep={t("cancel")}
          go={t("continue")}
          look="lit"
          failed={t("onFailed")}
          onKeep={close}
          onGo={async (password) => setSecret(await beginTwoStep(password))}
        />
      )}
    </Dialog>
  );
}
