import { ShieldCheck } from "lucide-react";
import { type FormEvent, useState } from "react";
import { brand } from "@/brand";
import { ApiError, messageOf } from "@/shared/api/errors";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { Link, useNavigate } from "@/shared/router";
import { signIn } from "@/shared/session";
import { useRoot } from "@/shared/store";
import { Button, Checkbox, PasswordField, TextField } from "@/shared/ui";
import { logIn } from "../api";
import { DoorFoot, DoorHead, FormError } from "../components/DoorParts";
import { useDoorState } from "../door";
import { useMessages } from "../i18n";
import { useTypedLine } from "../useTypedLine";
import "../door.css";

/** The server's code for: the password is right, and the address is not verified. */
const VERIFY_FIRST = "email_unverified";
/** The server's code for: the password is right, and the account has a second step. */
const SECOND_STEP = "otp_required";

function TypedLine({ line }: { line: string }) {
  const typed = useTypedLine(line);
  return (
    <>
      <span className="sr">{line}</span>
      <span aria-hidden="true" className="typed-line">
        {typed}
      </span>
    </>
  );
}

export default function Login() {
  const t = useMessages("auth");
  useTitle(t("login"));
  const line = t("line");
  const { redirectPath, email: known } = useDoorState();
  const navigate = useNavigate();
  const remembered = useRoot((state) => state.rememberMe);
  const [email, setEmail] = useState(known ?? remembered.email);
  const [password, setPassword] = useState("");
  const [remember, setRemember] = useState(remembered.enabled);
  const [failed, setFailed] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  /** The second step, once the server has asked for it. */
  const [code, setCode] = useState<string | null>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setFailed(null);
    if (email.trim() === "" || password === "") {
      setFailed(t("mustFill"));
      return;
    }
    setBusy(true);
    try {
      const { user, token } = await logIn(email.trim(), password, code?.trim() || undefined);
      useRoot.getState().setRememberMe(remember, email.trim());
      await signIn(user, token);
      navigate(redirectPath ?? paths.forYou, { replace: true });
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError && error.code === VERIFY_FIRST) {
        navigate(paths.verify, { state: { email: email.trim(), redirectPath, error: t("verifyFirst") } });
      } else if (error instanceof ApiError && error.code === SECOND_STEP && code === null) {
        setCode("");
      } else {
        // The specification has one sentence for what nobody foresaw, at sign-up and at login alike.
        const silent = error instanceof ApiError && error.isNetwork;
        setFailed(messageOf(error, silent ? t("noAnswer") : t("unknownSignUp")));
      }
    }
  };

  return (
    <>
      <DoorHead title={t("welcomeBack")}>
        <TypedLine key={line} line={line} />
      </DoorHead>
      <form className="door-fields" onSubmit={submit} noValidate>
        <TextField
          label={t("email")}
          type="email"
          autoComplete="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <PasswordField
          label={t("password")}
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {code !== null && (
          <TextField
            label={t("authenticator")}
            autoComplete="one-time-code"
            autoFocus
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
        <div className="door-row split">
          <Checkbox checked={remember} onChange={setRemember}>
            {t("remember")}
          </Checkbox>
          <Link className="link" to={paths.forgot}>
            {t("resetPassword")}
          </Link>
        </div>
        <FormError>{failed}</FormError>
        <Button look="lit" type="submit" wide busy={busy}>
          {t("login")}
        </Button>
      </form>
      <p className="note">
        <ShieldCheck className="icon s" />
        <span>{t("onlyHere", { brand: brand.name })}</span>
      </p>
      <DoorFoot>
        {t.rich("newHere", {
          link: (text) => (
            <Link className="link" to={paths.signup} state={{ redirectPath }}>
              {text}
            </Link>
          ),
        })}
      </DoorFoot>
    </>
  );
}
