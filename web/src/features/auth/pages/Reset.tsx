import { CircleCheck } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useAttempt } from "@/shared/hooks/useAttempt";
import { useTitle } from "@/shared/hooks/useTitle";
import { MAX_PASSWORD_CHARS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Link, useSearchParams } from "@/shared/router";
import { Button, ButtonLink, PasswordField } from "@/shared/ui";
import { resetPassword } from "../api";
import { DoorFoot, DoorHead, FormError } from "../components/DoorParts";
import { StrengthBars } from "../components/StrengthBars";
import { useMessages } from "../i18n";
import { passwordProblem } from "../rules";
import "../door.css";

export default function Reset() {
  const t = useMessages("auth");
  useTitle(t("resetPassword"));
  const token = useSearchParams()[0].get("token") ?? "";
  const [password, setPassword] = useState("");
  const { busy, error, setError, attempt } = useAttempt();
  const [done, setDone] = useState(false);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const problem = password === "" ? "mustFill" : token === "" ? "missingToken" : passwordProblem(password);
    if (problem) return setError(t(problem));
    void attempt(async () => {
      await resetPassword(password, token);
      setDone(true);
    }, t("unknownReset"));
  };

  if (done) {
    return (
      <div className="door-done" role="status">
        <CircleCheck className="icon l" />
        <DoorHead title={t("success")}>{t("passwordReset")}</DoorHead>
        <ButtonLink look="lit" to={paths.login}>
          {t("toLogin")}
        </ButtonLink>
      </div>
    );
  }
  return (
    <>
      <DoorHead title={t("newPasswordTitle")}>{t("passwordHint")}</DoorHead>
      <form className="door-fields" onSubmit={submit} noValidate>
        <PasswordField
          label={t("newPassword")}
          autoComplete="new-password"
          maxLength={MAX_PASSWORD_CHARS}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <StrengthBars password={password} />
        <FormError>{error}</FormError>
        <Button look="lit" type="submit" wide busy={busy}>
          {t("submit")}
        </Button>
      </form>
      <DoorFoot>
        {t.rich("remembered", {
          link: (text) => (
            <Link className="link" to={paths.login}>
              {text}
            </Link>
          ),
        })}
      </DoorFoot>
    </>
  );
}
