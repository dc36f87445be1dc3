import { zodResolver } from "@hookform/resolvers/zod";
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { Link } from "react-router";
import { ApiError, messageOf } from "@/shared/api/errors";
import { MAX_PASSWORD_CHARS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { toast } from "@/shared/toast";
import { Button, PasswordField } from "@/shared/ui";
import { type PasswordForm as Form, passwordSchema, updatePassword } from "../security";

const FAILED = "Failed to update password. Please try again.";
const EMPTY: Form = { currentPassword: "", newPassword: "", confirmation: "" };

export function PasswordForm() {
  const client = useQueryClient();
  const form = useForm<Form>({ resolver: zodResolver(passwordSchema), defaultValues: EMPTY });
  const { errors, isSubmitting } = form.formState;

  const save = form.handleSubmit(async (values) => {
    try {
      await updatePassword(values);
      form.reset(EMPTY);
      toast.success("Password updated successfully");
      // All other devices were signed out with it.
      await client.invalidateQueries({ queryKey: ["devices"] });
    } catch (error) {
      const message = messageOf(error, FAILED);
      if (error instanceof ApiError && error.code === "password_wrong") {
        form.setError("currentPassword", { message }, { shouldFocus: true });
      } else if (error instanceof ApiError && error.fields.newPassword) {
        form.setError("newPassword", { message: error.fields.newPassword }, { shouldFocus: true });
      } else toast.error(message);
    }
  });

  return (
    <section aria-labelledby="password">
      <h2 id="password">Password</h2>
      <p className="text-2">A new one signs every other device out.</p>
      <form className="password-form" onSubmit={save} noValidate>
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          maxLength={MAX_PASSWORD_CHARS}
          error={errors.currentPassword?.message}
          {...form.register("currentPassword")}
        />
        <PasswordField
          label="New password"
          autoComplete="new-password"
          maxLength={MAX_PASSWORD_CHARS}
          hint="At least 8 characters with a capital and a number. Letters, digits and @$!%*#?& only."
          error={errors.newPassword?.message}
          {...form.register("newPassword")}
        />
        <PasswordField
          label="Confirm new password"
          autoComplete="new-password"
          maxLength={MAX_PASSWORD_CHARS}
          error={errors.confirmation?.message}
          {...form.register("confirmation")}
        />
        <div className="plan-foot">
          <Button look="lit" type="submit" busy={isSubmitting}>
            Update password
          </Button>
          <Link className="link" to={paths.forgot}>
            Forgot it?
          </Link>
        </div>
      </form>
    </section>
  );
}
