import { useQuery } from "@tanstack/react-query";
import { Mailbox } from "lucide-react";
import { type FormEvent, useState } from "react";
import { brand } from "@/brand";
import { api } from "@/shared/api/client";
import { messageOf } from "@/shared/api/errors";
import type { Meta } from "@/shared/api/types";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { Link, useNavigate } from "@/shared/router";
import { toast } from "@/shared/toast";
import { Button } from "@/shared/ui";
import { resendCode, verifyEmail } from "../api";
import { CodeInput } from "../components/CodeInput";
import { DoorFoot, DoorHead, FormError } from "../components/DoorParts";
import { useDoorState } from "../door";
import { useMessages } from "../i18n";
import { codeProblem } from "../rules";
import "../door.css";

/** Where mails go while one develops; the server says whether it is there. */
function DevMailbox() {
  const t = useMessages("auth");
  const meta = useQuery({
    queryKey: ["meta"],
    queryFn: ({ signal }) => api.get<Meta>("meta", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!meta.data?.dev) return null;
  return (
    <p className="note door-dev">
      <Mailbox className="icon s" />
      <span>
        {t.rich("devMailbox", {
          link: (text) => (
            <a className="link" href="/dev/mailbox" target="_blank" rel="noreferrer">
              {text}
            </a>
          ),
        })}
      </span>
    </p>
  );
}

export default function Verify() {
  const t = useMessages("auth");
  useTitle(t("titleVerify"));
  const { email, redirectPath, error: arrival } = useDoorState();
  const navigate = useNavigate();
  const [code, setCode] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [failed, setFailed] = useState<string | null>(arrival ?? null);
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const wrong = codeProblem(code);
    setProblem(wrong && t(wrong));
    setFailed(null);
    if (wrong) return;
    setBusy(true);
    try {
      await verifyEmail(code, email);
      toast.success(t("isVerified"));
      navigate(paths.login, { state: { redirectPath, email } });
    } catch (error) {
      setFailed(messageOf(error, t("unknownVerify")));
      setBusy(false);
    }
  };

  const resend = async () => {
    if (!email) return;
    setFailed(null);
    try {
      await resendCode(email);
      toast.success(t("sentAgain"));
    } catch (error) {
      setFailed(messageOf(error, t("unknownVerify")));
    }
  };

  return (
    <>
      <DoorHead title={t("checkPost")}>
        {email ? t.rich("codeSent", { email, b: (text) => <b>{text}</b> }) : t("codeSentAnywhere")}
      </DoorHead>
      <form className="door-fields" onSubmit={submit} noValidate>
        <CodeInput
          label={t("enterCode")}
          value={code}
          onChange={(next) => {
            setCode(next);
            setProblem(null);
          }}
          error={problem}
          autoFocus
        />
        <FormError>{failed}</FormError>
        <div className="door-row">
          <Button look="lit" type="submit" className="grow" busy={busy}>
            {t("submit")}
          </Button>
          {email && (
            <Button look="quiet" onClick={resend}>
              {t("newCode")}
            </Button>
          )}
        </div>
      </form>
      <div className="door-arrival">
        <p className="hint">
          {t.rich("nothingArrived", {
            link: (text) => (
              <a className="link" href={brand.supportUrl} target="_blank" rel="noreferrer">
                {text}
              </a>
            ),
          })}
        </p>
        <DevMailbox />
      </div>
      <DoorFoot>
        {t.rich("verified", {
          link: (text) => (
            <Link className="link" to={paths.login} state={{ redirectPath, email }}>
              {text}
            </Link>
          ),
        })}
      </DoorFoot>
    </>
  );
}
