import { type FormEvent, type ReactNode, useState } from "react";
import { useAttempt } from "@/shared/hooks/useAttempt";
import { MAX_PASSWORD_CHARS } from "@/shared/limits";
import { Button, type ButtonLook, PasswordField } from "@/shared/ui";

interface PasswordAgainProps {
  /** What the password is for. */
  lead: ReactNode;
  label: string;
  /** The button that leaves everything as it is. */
  keep: string;
  go: string;
  look?: ButtonLook;
  /** Said where an attempt failed without a word. */
  failed: string;
  /** Whether all that is asked for beside the password is there. */
  ready?: boolean;
  /** Asked for before the password, and after it. */
  before?: ReactNode;
  after?: ReactNode;
  onKeep: () => void;
  /** What it rejects with is said at the password. */
  onGo: (password: string) => Promise<unknown>;
}

/** The password once more, in a dialog: who has found an open session does no harm with it. */
export function PasswordAgain({
  lead,
  label,
  keep,
  go,
  look = "rouge",
  failed,
  ready = true,
  before,
  after,
  onKeep,
  onGo,
}: PasswordAgainProps) {
  const [password, setPassword] = useState("");
  const { busy, error, attempt } = useAttempt();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(() => onGo(password), failed);
  };
  return (
    <form className="dialog-form" onSubmit={submit}>
      <p className="text-2">{lead}</p>
      {before}
      <PasswordField
        label={label}
        autoComplete="current-password"
        maxLength={MAX_PASSWORD_CHARS}
        data-focus=""
        value={password}
        error={error}
        onChange={(event) => setPassword(event.target.value)}
      />
      {after}
      <div className="row">
        <Button onClick={onKeep}>{keep}</Button>
        <Button look={look} type="submit" busy={busy} disabled={password === "" || !ready}>
          {go}
        </Button>
      </div>
    </form>
  );
}
