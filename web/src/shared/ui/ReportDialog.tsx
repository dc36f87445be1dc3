import { zodResolver } from "@hookform/resolvers/zod";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Link } from "react-router";
import { z } from "zod";
import { api } from "../api/client";
import { ApiError, messageOf } from "../api/errors";
import type { Report } from "../api/types";
import { dayOf } from "../format";
import { newKey } from "../key";
import { paths } from "../paths";
import { MAX_REPORT_CHARS, MIN_REPORT_CHARS, REPORT_REASONS, type ReportSubject } from "../report";
import { toast } from "../toast";
import { Button, IconButton } from "./Button";
import { Dialog } from "./Dialog";
import { TextArea } from "./Field";
import "./report.css";

const reasons = REPORT_REASONS.map((reason) => reason.value);
const schema = z.object({
  reason: z.enum(reasons, { error: "Choose a reason." }),
  text: z.string().trim().min(MIN_REPORT_CHARS, "At least 10 characters.").max(MAX_REPORT_CHARS),
});
type ReportForm = z.infer<typeof schema>;

const FAILED = "Your report could not be sent. Please try again.";

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
  const copy = () =>
    navigator.clipboard.writeText(report.number).then(
      () => toast.success("The number is copied."),
      () => toast.error("The number could not be copied."),
    );
  return (
    <>
      <p className="text-2" role="status">
        Thank you. We look at it by {dayOf(report.dueAt)}, and tell you what we decide. The receipt is in your
        mail too.
      </p>
      <div className="receipt">
        <span className="hint">Receipt number</span>
        <code className="receipt-number num">{report.number}</code>
        <IconButton label="Copy the number" onClick={() => void copy()}>
          <Copy className="icon s" />
        </IconButton>
      </div>
      <div className="row">
        <Link className="btn line" to={paths.report(report.number)} onClick={onClose}>
          Follow it
        </Link>
        <Button look="lit" data-focus onClick={onClose}>
          Done
        </Button>
      </div>
    </>
  );
}

/** Why something is reported, then the number under which it can be followed. */
export default function ReportDialog({ subject, onClose }: { subject: ReportSubject; onClose: () => void }) {
  const file = useFile(subject);
  const form = useForm<ReportForm>({ resolver: zodResolver(schema), defaultValues: { text: "" } });
  const { errors } = form.formState;
  const send = form.handleSubmit((values) =>
    file.mutate(values, {
      onError: (error) => {
        const { reason, text } = fieldErrors(error);
        if (reason) form.setError("reason", { message: reason });
        if (text) form.setError("text", { message: text });
        if (!reason && !text) toast.error(messageOf(error, FAILED));
      },
    }),
  );
  if (file.data) {
    return (
      <Dialog key="receipt" open onClose={onClose} title="We have your report" closable>
        <Receipt report={file.data} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog key="form" open onClose={onClose} title={`Report ${subject.name}`} closable>
      <form className="report-form" noValidate onSubmit={(event) => void send(event)}>
        <fieldset className="reasons" aria-invalid={errors.reason ? true : undefined}>
          <legend>What is wrong?</legend>
          {REPORT_REASONS.map(({ value, label }, index) => (
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
              {errors.reason.message}
            </p>
          )}
        </fieldset>
        <TextArea
          label="Tell us more"
          hint="At least 10 characters. Say where to look."
          maxLength={MAX_REPORT_CHARS}
          error={errors.text?.message}
          {...form.register("text")}
        />
        <div className="row">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="lit" type="submit" busy={file.isPending}>
            Send report
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
