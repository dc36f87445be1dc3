import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { z } from "zod";
import { messageOf } from "@/shared/api/errors";
import { MAX_REPORT_CHARS, MIN_REPORT_CHARS } from "@/shared/report";
import { toast } from "@/shared/toast";
import { Button, TextArea } from "@/shared/ui";
import { useAppeal } from "../api";
import { useMessages } from "../i18n";

const appealSchema = (short: string) =>
  z.object({ text: z.string().trim().min(MIN_REPORT_CHARS, short).max(MAX_REPORT_CHARS) });

/** The one appeal against a decision. */
export function AppealForm({ number }: { number: string }) {
  const t = useMessages("reports");
  const appeal = useAppeal(number);
  const form = useForm<z.infer<ReturnType<typeof appealSchema>>>({
    resolver: zodResolver(appealSchema(t("short"))),
    defaultValues: { text: "" },
  });
  const send = form.handleSubmit(({ text }) =>
    appeal.mutate(text, {
      onSuccess: () => toast.success(t("sent")),
      onError: (error) => toast.error(messageOf(error, t("sendFailed"))),
    }),
  );
  return (
    <form className="appeal" noValidate onSubmit={(event) => void send(event)}>
      <h2>{t("appeal")}</h2>
      <TextArea
        label={t("why")}
        hint={t("once")}
        maxLength={MAX_REPORT_CHARS}
        error={form.formState.errors.text?.message}
        {...form.register("text")}
      />
      <Button look="lit" type="submit" busy={appeal.isPending}>
        {t("send")}
      </Button>
    </form>
  );
}
