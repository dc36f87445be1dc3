import { zodResolver } from "@hookform/resolvers/zod";
import { ChevronLeft } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useForm } from "react-hook-form";
import { brand } from "@/brand";
import { ApiError, messageOf } from "@/shared/api/errors";
import { useTitle } from "@/shared/hooks/useTitle";
import { MAX_PASSWORD_CHARS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Link, useNavigate, useSearchParams } from "@/shared/router";
import { toast } from "@/shared/toast";
import { Button, PasswordField, TextField } from "@/shared/ui";
import { signUp } from "../api";
import { DoorFoot, DoorHead, FormError } from "../components/DoorParts";
import { StrengthBars } from "../components/StrengthBars";
import { useDoorState } from "../door";
import { useMessages } from "../i18n";
import { passwordProblem, type SignupForm, signupSchema } from "../rules";
import "../door.css";

/** Step 1 asks for the age; 2 to 5 are the fields, in this order. */
const FIELDS: readonly (keyof SignupForm)[] = ["email", "password", "confirmation", "username"];
const AGE_STEP = 1;
const LAST_STEP = AGE_STEP + FIELDS.length;

function Steps({ step }: { step: number }) {
  const t = useMessages("auth");
  const done = step - AGE_STEP;
  const text = t("step", { step: done, steps: FIELDS.length });
  return (
    <div className="steps num" role="img" aria-label={text}>
      {FIELDS.map((field, index) => (
        <i key={field} className={index < done ? "on" : undefined} />
      ))}
      <span>{text}</span>
    </div>
  );
}

/** The confirmation of age, before anything is asked for. */
function AgeStep({ onConfirm }: { onConfirm: () => void }) {
  const t = useMessages("auth");
  const navigate = useNavigate();
  return (
    <>
      <p className="text-2">{t("ageLead", { brand: brand.name })}</p>
      <div className="door-row">
        <Button onClick={() => navigate(paths.home)}>{t("goBack")}</Button>
        <Button look="lit" onClick={onConfirm} autoFocus>
          {t("over18")}
        </Button>
      </div>
    </>
  );
}

export default function Signup() {
  const t = useMessages("auth");
  useTitle(t("signUp"));
  const navigate = useNavigate();
  const { redirectPath } = useDoorState();
  const ref = useSearchParams()[0].get("ref") ?? undefined;
  const [step, setStep] = useState(AGE_STEP);
  const [failed, setFailed] = useState<string | null>(null);
  const form = useForm<SignupForm>({
    resolver: zodResolver(signupSchema(t)),
    defaultValues: { email: "", password: "", confirmation: "", username: "" },
  });
  const { errors, isSubmitting } = form.formState;
  const field = FIELDS[step - AGE_STEP - 1];
  const password = form.watch("password");
  const problem = passwordProblem(password);

  const register = form.handleSubmit(async ({ email, password, username }) => {
    setFailed(null);
    try {
      await signUp({ email, password, username, ref });
      toast.success(t("signedUp"));
      navigate(paths.verify, { state: { email, redirectPath } });
    } catch (error) {
      // Back to the step whose field the server names.
      const named = FIELDS.findIndex((name) => error instanceof ApiError && error.fields[name]);
      if (named >= 0 && error instanceof ApiError) {
        const name = FIELDS[named] as keyof SignupForm;
        setStep(AGE_STEP + 1 + named);
        form.setError(name, { message: error.fields[name] });
      } else setFailed(messageOf(error, t("unknownSignUp")));
    }
  });

  const advance = async (event: FormEvent) => {
    event.preventDefault();
    if (!field || !(await form.trigger(field, { shouldFocus: true }))) return;
    if (step === LAST_STEP) await register();
    else setStep(step + 1);
  };
  const back = () => {
    setFailed(null);
    setStep(step - 1);
  };

  return (
    <>
      {field && <Steps step={step} />}
      <DoorHead title={t("welcome", { brand: brand.name })}>{t("start")}</DoorHead>
      {!field ? (
        <AgeStep onConfirm={() => setStep(step + 1)} />
      ) : (
        <form className="door-fields" onSubmit={advance} noValidate key={field}>
          {field === "email" && (
            <TextField
              label={t("email")}
              type="email"
              autoComplete="email"
              placeholder={t("emailExample")}
              autoFocus
              error={errors.email?.message}
              {...form.register("email")}
            />
          )}
          {field === "password" && (
            <>
              <PasswordField
                label={t("password")}
                autoComplete="new-password"
                maxLength={MAX_PASSWORD_CHARS}
                autoFocus
                error={errors.password?.message}
                {...form.register("password")}
              />
              <StrengthBars password={password} />
              <p className={problem ? "hint" : "hint good"} aria-live="polite">
                {/* Nothing is good about what the server refused. */}
                {!errors.password && t(password === "" ? "passwordHint" : (problem ?? "passwordGood"))}
              </p>
            </>
          )}
          {field === "confirmation" && (
            <PasswordField
              label={t("confirmPassword")}
              autoComplete="new-password"
              maxLength={MAX_PASSWORD_CHARS}
              autoFocus
              error={errors.confirmation?.message}
              {...form.register("confirmation")}
            />
          )}
          {field === "username" && (
            <TextField
              label={t("username")}
              autoComplete="username"
              hint={t("usernameHint")}
              autoFocus
              error={errors.username?.message}
              {...form.register("username")}
            />
          )}
          <FormError>{failed}</FormError>
          <div className="door-row">
            <Button look="quiet" onClick={back}>
              <ChevronLeft className="icon s" />
              {t("back")}
            </Button>
            <Button
              look="lit"
              type="submit"
              className="grow"
              busy={isSubmitting}
              disabled={step > AGE_STEP + 1 && problem !== null}
            >
              {step === LAST_STEP ? t("register") : t("continue")}
            </Button>
          </div>
        </form>
      )}
      {field && field !== "email" && (
        <p className="hint">
          {t.rich("signingUp", {
            email: form.getValues("email"),
            link: (text) => (
              <Link className="link" to={paths.legalPage("terms")}>
                {text}
              </Link>
            ),
          })}
        </p>
      )}
      <DoorFoot>
        {t.rich("already", {
          link: (text) => (
            <Link className="link" to={paths.login} state={{ redirectPath }}>
              {text}
            </Link>
          ),
        })}
      </DoorFoot>
    </>
  );
}
