import { MailCheck } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useAttempt } from "@/shared/hooks/useAttempt";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { Button, ButtonLink, TextField } from "@/shared/ui";
import { askForReset } from "../api";
import { DoorFoot, DoorHead, FormError } from "../components/DoorParts";
import { useMessages } from "../i18n";
import "../door.css";

export default function Forgot() {
  const t = useMessages("auth");
  useTitle(t("resetPassword"));
  const [email, setEmail] = useState("");
  const { busy, error, setError, attempt } = useAttempt();
  const [sent, setSent] = useState(false);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (email.trim() === "") return setError(t("mustFill"));
    void attempt(async () => {
      await askForReset(email.trim());
      setSent(true);
    }, t("unknownForgot"));
  };

  if (sent) {
    return (
      <div className="door-done" role="status">
        <MailCheck className="icon l" />
        <DoorHead title={t("linkSent")}>{t("checkEmail")}</DoorHead>
        <ButtonLink look="lit" to={paths.login}>
          {t("toLogin")}
        </ButtonLink>
      </div>
    );
  }
  return (
    <>
      <DoorHead title={t("forgot")}>{t("forgotLead")}</DoorHead>
      <form className="door-fields" onSubmit={submit} noValidate>
        <TextField
          label={t("emailAddress")}
          type="email"
          autoComplete="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <FormError>{error}</FormError>
        <Button look="lit" type="submit" wide busy={busy}>
          {t("submit")}
        </Button>
      </form>
      <DoorFoot>
        <Link className="link" to={paths.login}>
          {t("toLogin")}
        </Link>
      </DoorFoot>
    </>
  );
}
