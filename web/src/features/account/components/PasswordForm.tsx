import { zodResolver } from "@hookform/resolvers/zod";
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { ApiError, messageOf } from "@/shared/api/errors";
import { MAX_PASSWORD_CHARS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { toast } from "@/shared/toast";
import { Button, PasswordField } from "@/shared/ui";
import { useMessages } from "../i18n";
import { type PasswordForm as Form, passwordSchema, updatePassword } from "../security";

const EMPTY: Form = { currentPassword: "", newPassword: "", confirmation: "" };

export function PasswordForm() {
  const t = useMessages("password");
  const client = useQueryClient();
  const form = useForm<Form>({ resolver: zodResolver(passwordSchema(t)), defaultValues: EMPTY });
  const { errors, isSubmitting } = form.formState;

  const save = form.handleSubmit(async (values) => {
    try {
      await updatePassword(values);
      form.reset(EMPTY);
      toast.success(t("updated"));
      // All other devices were signed out with it.
      await client.invalidateQueries({ queryKey: ["devices"] });
    } catch (error) {
      const message = messageOf(error, t("failed"));
      if (error instanceof ApiError && error.code === "password_wrong") {
        form.setError("currentPassword", { message }, { shouldFocus: true });
      } else if (error instanceof ApiError && error.fields.newPassword) {
        form.setError("newPassword", { message: error.fields.newPassword }, { shouldFocus: true });
      } else toast.error(message);
    }
  });

  return (
    <section aria-labelledby="password">
      <h2 id="password">{t("title")}</h2>
      <p className="text-2">{t("lead")}</p>
      <form className="password-form" onSubmit={save} noValidate>
        <PasswordField
          label={t("current")}
          autoComplete="current-password"
          maxLength={MAX_PASSWORD_CHARS}
          error={errors.currentPassword?.message}
          {...form.register("currentPassword")}
        />
        <PasswordField
          label={t("new")}
          autoComplete="new-password"
          maxLength={MAX_PASSWORD_CHARS}
          hint={t("newHint")}
          error={errors.newPassword?.message}
          {...form.register("newPassword")}
        />
        <PasswordField
          label={t("confirm")}
          autoComplete="new-password"
          maxLength={MAX_PASSWORD_CHARS}
          error={errors.confirmation?.message}
          {...form.register("confirmation")}
        />
        <div className="plan-foot">
          <Button look="lit" type="submit" busy={isSubmitting}>
            {t("update")}
          </Button>
          <Link className="link" to={paths.forgot}>
            {t("forgot")}
          </Link>
        </div>
      </form>
    </section>
  );
}
