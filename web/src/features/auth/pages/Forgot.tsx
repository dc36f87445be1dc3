import { MailCheck } from "lucide-react";
import { type FormEvent, useState } from "react";
import { messageOf } from "@/shared/api/errors";
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
  const [failed, setFailed] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setFailed(null);
    if (email.trim() === "") {
      setFailed(t("mustFill"));
      return;
    }
    setBusy(true);
    try {
      await askForReset(email.trim());
      setSent(true);
    } catch (error) {
      setFailed(messageOf(error, t("unknownForgot")));
    } finally {
      setBusy(false);
    }
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
        <FormError>{failed}</FormError>
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
