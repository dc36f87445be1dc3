import { zodResolver } from "@hookform/resolvers/zod";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Copy, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { z } from "zod";
import { api } from "../api/client";
import { ApiError, messageOf } from "../api/errors";
import type { Report } from "../api/types";
import { dayOf } from "../format";
import { useSpoken } from "../i18n";
import { newKey } from "../key";
import { paths } from "../paths";
import { REPORT_REASONS, useReasonOptions } from "../reasons";
import { MAX_REPORT_CHARS, MIN_REPORT_CHARS, type ReportSubject } from "../report";
import { Link } from "../router";
import { toast } from "../toast";
import { Button, IconButton } from "./Button";
import { Dialog } from "./Dialog";
import { TextArea } from "./Field";
import { useMessages } from "./i18n";
import "./report.css";

/** The form, whose problems are said in the reader's language. */
const reportSchema = (say: (problem: "choose" | "short") => string) =>
  z.object({
    reason: z.enum(REPORT_REASONS, { error: say("choose") }),
    text: z.string().trim().min(MIN_REPORT_CHARS, say("short")).max(MAX_REPORT_CHARS),
  });
type ReportForm = z.infer<ReturnType<typeof reportSchema>>;

/** What the server found wrong with a field of the form. */
const fieldErrors = (error: unknown) => (error instanceof ApiError ? error.fields : {});

function useFile({ kind, id }: ReportSubject) {
  const client = useQueryClient();
  // The same report sent twice, by a double click or a retry, is filed once.
  const [key] = useState(newKey);
  return useMutation({
    mutationFn: (form: ReportForm) =>
      api
        .post<{ report: Report }>("reports", {
          json: { subjectKind: kind, subjectId: id, ...form },
          headers: { "Idempotency-Key": key },
        })
        .then((answer) => answer.report),
    onSuccess: () => client.invalidateQueries({ queryKey: ["reports"] }),
  });
}

function Receipt({ report, onClose }: { report: Report; onClose: () => void }) {
  const t = useMessages("report");
  const language = useSpoken((state) => state.language);
  const copy = () =>
    navigator.clipboard.writeText(report.number).then(
      () => toast.success(t("copied")),
      () => toast.error(t("notCopied")),
    );
  return (
    <>
      <p className="text-2" role="status">
        {t("thanks", { day: dayOf(report.dueAt, language) })}
      </p>
      <div className="receipt">
        <span className="hint">{t("number")}</span>
        <code className="receipt-number num">{report.number}</code>
        <IconButton label={t("copy")} onClick={() => void copy()}>
          <Copy className="icon s" />
        </IconButton>
      </div>
      <div className="row">
        <Link className="btn line" to={paths.report(report.number)} onClick={onClose}>
          {t("follow")}
        </Link>
        <Button look="lit" data-focus onClick={onClose}>
          {t("done")}
        </Button>
      </div>
    </>
  );
}

/** Why something is reported, then the number under which it can be followed. */
export default function ReportDialog({ subject, onClose }: { subject: ReportSubject; onClose: () => void }) {
  const t = useMessages("report");
  const options = useReasonOptions();
  const file = useFile(subject);
  const form = useForm<ReportForm>({ resolver: zodResolver(reportSchema(t)), defaultValues: { text: "" } });
  const { errors } = form.formState;
  const send = form.handleSubmit((values) =>
    file.mutate(values, {
      onError: (error) => {
        const { reason, text } = fieldErrors(error);
        if (reason) form.setError("reason", { message: reason });
        if (text) form.setError("text", { message: text });
        if (!reason && !text) toast.error(messageOf(error, t("failed")));
      },
    }),
  );
  if (file.data) {
    return (
      <Dialog key="receipt" open onClose={onClose} title={t("have")} closable>
        <Receipt report={file.data} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog key="form" open onClose={onClose} title={t("title", { name: subject.name })} closable>
      <form className="report-form" noValidate onSubmit={(event) => void send(event)}>
        <fieldset className="reasons" aria-invalid={errors.reason ? true : undefined}>
          <legend>{t("what")}</legend>
          {options.map(({ value, label }, index) => (
            <label key={value} className="reason">
              <input
                type="radio"
                value={value}
                data-focus={index === 0 || undefined}
                {...form.register("reason")}
              />
              {label}
            </label>
          ))}
          {errors.reason && (
            <p className="error" role="alert">
              <TriangleAlert className="icon s" />
              {errors.reason.message}
            </p>
          )}
        </fieldset>
        <TextArea
          label={t("more")}
          hint={t("hint")}
          maxLength={MAX_REPORT_CHARS}
          error={errors.text?.message}
          {...form.register("text")}
        />
        <div className="row">
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button look="lit" type="submit" busy={file.isPending}>
            {t("send")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
