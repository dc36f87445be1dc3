import { Download } from "lucide-react";
import { type FormEvent, useState } from "react";
import { brand } from "@/brand";
import { messageOf } from "@/shared/api/errors";
import type { User } from "@/shared/api/types";
import { download } from "@/shared/download";
import { dayOf } from "@/shared/format";
import { MAX_PASSWORD_CHARS } from "@/shared/limits";
import { toast } from "@/shared/toast";
import { Button, Dialog, PasswordField } from "@/shared/ui";
import { type Legacy, useDeletion, useKeepAccount } from "../security";

const LEGACIES: readonly { value: Legacy; name: string; hint: string }[] = [
  { value: "remove", name: "Take my characters with me", hint: "They leave the stage for everybody." },
  { value: "anonymise", name: "Leave my characters", hint: "They stay, without your name." },
];

function DeleteDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [password, setPassword] = useState("");
  const [characters, setCharacters] = useState<Legacy>("remove");
  const [error, setError] = useState<string>();
  const deletion = useDeletion();
  const close = () => {
    setPassword("");
    setError(undefined);
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    deletion.mutate(
      { password, characters },
      {
        onSuccess: ({ msg }) => {
          toast.success(msg);
          close();
        },
        onError: (failed) =>
          setError(messageOf(failed, "Your account could not be deleted. Please try again.")),
      },
    );
  };
  return (
    <Dialog open={open} onClose={close} title="Delete your account?">
      <form className="dialog-form" onSubmit={submit}>
        <p className="text-2">
          It is erased in 30 days, with your chats, pictures and personas. Until then you can change your
          mind. A subscription ends with it.
        </p>
        <fieldset className="legacy">
          <legend className="label">Your characters</legend>
          {LEGACIES.map(({ value, name, hint }) => (
            <label key={value}>
              <input
                type="radio"
                name="characters"
                checked={characters === value}
                onChange={() => setCharacters(value)}
              />
              <span>
                {name}
                <span className="hint">{hint}</span>
              </span>
            </label>
          ))}
        </fieldset>
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
          <Button onClick={close}>Keep my account</Button>
          <Button look="rouge" type="submit" busy={deletion.isPending} disabled={password === ""}>
            Delete account
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The note goes with its button: the focus goes to where the page begins. */
const toMain = () => document.getElementById("main")?.focus({ preventScroll: true });

/** An account that is to be erased says so on every tab, with the way back beside it. */
export function ErasureNote({ user }: { user: User }) {
  const keep = useKeepAccount();
  if (!user.erasedAt) return null;
  return (
    <p className="note plan-note" role="status">
      <span>
        Your account will be erased on <b className="num">{dayOf(user.erasedAt)}</b>, with everything in it.
      </span>
      <Button
        size="small"
        busy={keep.isPending}
        onClick={() => keep.mutate(undefined, { onSuccess: toMain })}
      >
        Keep my account
      </Button>
    </p>
  );
}

/** All that is stored, as a file; and the end of the account. */
export function YourData({ user }: { user: User }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await download("account/export", `${brand.name.toLowerCase()}-account.json`);
    } catch (error) {
      toast.error(messageOf(error, "Your data could not be fetched. Please try again."));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-labelledby="your-data" tabIndex={-1}>
      <h2 id="your-data">Your data</h2>
      <p className="text-2">
        Everything that is stored about you in one file: profile, characters, chats, pictures, payments.
      </p>
      <div className="plan-foot">
        <Button busy={busy} onClick={() => void save()}>
          <Download className="icon s" />
          Download my data
        </Button>
        {!user.erasedAt && (
          <Button look="quiet" onClick={() => setAsking(true)}>
            Delete my account
          </Button>
        )}
      </div>
      <DeleteDialog open={asking} onClose={() => setAsking(false)} />
    </section>
  );
}
