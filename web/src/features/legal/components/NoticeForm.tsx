import { zodResolver } from "@hookform/resolvers/zod";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type Control, Controller, useForm } from "react-hook-form";
import { ApiError, messageOf } from "@/shared/api/errors";
import type { Report } from "@/shared/api/types";
import { useOrderKey } from "@/shared/hooks/useOrderKey";
import { useReasonOptions } from "@/shared/reasons";
import { useSearchParams } from "@/shared/router";
import { useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Button, Checkbox, SelectField, TextArea, TextField } from "@/shared/ui";
import { fileComplaint, fileIntimateImage } from "../api";
import { MAX_CHARS, NOTICES, type Notice, type NoticeKind, noticeSchema } from "../forms";
import { useMessages } from "../i18n";
import { PicturePick } from "./PicturePick";

interface OathProps {
  control: Control<Notice>;
  which: "dmca" | "counter_notice";
  error: string | undefined;
}

/** A statement under penalty of perjury, to be ticked. */
function Oath({ control, which, error }: OathProps) {
  const t = useMessages("oath");
  return (
    <Controller
      control={control}
      name="sworn"
      render={({ field }) => (
        <div className="field">
          <Checkbox checked={field.value} onChange={field.onChange}>
            <span>{t(which)}</span>
          </Checkbox>
          {error && (
            <p className="error" role="alert">
              {error}
            </p>
          )}
        </div>
      )}
    />
  );
}

interface NoticeFormProps {
  kind: NoticeKind;
  onFiled: (report: Report) => void;
  /** What was written before the kind was changed. */
  begun: Partial<Notice>;
  onWritten: (notice: Notice) => void;
}

/** A complaint, a request for removal or a notice. `?about=` fills in what it is about. */
export function NoticeForm({ kind, onFiled, begun, onWritten }: NoticeFormProps) {
  const t = useMessages("form");
  const words = useMessages(kind);
  const asks = NOTICES[kind];
  const reasons = useReasonOptions();
  const user = useUser();
  const about = useSearchParams()[0].get("about") ?? "";
  const form = useForm<Notice>({
    resolver: zodResolver(noticeSchema(kind, t)),
    defaultValues: {
      name: "",
      email: user?.email ?? "",
      subject: about.slice(0, MAX_CHARS.subject),
      reason: "other",
      text: "",
      ...begun,
      // An oath is sworn on one notice.
      sworn: false,
    },
  });
  const [picture, setPicture] = useState<File | null>(null);
  const [pictureError, setPictureError] = useState<string>();
  /** One key for one notice: a second press sends no second one. */
  const key = useOrderKey();
  const file = useMutation({
    mutationFn: (notice: Notice) =>
      kind === "intimate_image"
        ? fileIntimateImage(notice, picture, key.current)
        : fileComplaint({ ...notice, kind }, key.current),
    onSuccess: ({ report }) => onFiled(report),
    onError: (error) => {
      if (error instanceof ApiError) {
        const { image, ...fields } = error.fields;
        setPictureError(image);
        for (const [field, message] of Object.entries(fields)) {
          if (field in form.getValues()) form.setError(field as keyof Notice, { message });
        }
      }
      key.answered(error);
      toast.error(messageOf(error, t("failed")));
    },
  });
  const { errors } = form.formState;
  return (
    <form
      className="notice-form"
      onChange={() => onWritten(form.getValues())}
      onSubmit={form.handleSubmit((notice) => file.mutate(notice))}
      noValidate
    >
      <div className="notice-pair">
        <TextField
          label={t("name")}
          autoComplete="name"
          maxLength={MAX_CHARS.name}
          required
          error={errors.name?.message}
          {...form.register("name")}
        />
        <TextField
          label={t("email")}
          type="email"
          autoComplete="email"
          maxLength={MAX_CHARS.email}
          required
          error={errors.email?.message}
          {...form.register("email")}
        />
      </div>
      {asks.reasons && (
        <SelectField
          label={t("reason")}
          options={reasons}
          error={errors.reason?.message}
          {...form.register("reason")}
        />
      )}
      <TextArea
        label={words("subject")}
        rows={2}
        maxLength={MAX_CHARS.subject}
        required={asks.about}
        hint={words("subjectHint")}
        error={errors.subject?.message}
        {...form.register("subject")}
      />
      {asks.picture && (
        <PicturePick file={picture} error={pictureError} onPick={setPicture} onError={setPictureError} />
      )}
      <TextArea
        label={words("text")}
        rows={6}
        maxLength={MAX_CHARS.text}
        required
        hint={words("textHint")}
        error={errors.text?.message}
        {...form.register("text")}
      />
      {asks.oath && <Oath control={form.control} which={asks.oath} error={errors.sworn?.message} />}
      <div className="form-foot">
        <Button look="lit" type="submit" busy={file.isPending}>
          {words("send")}
        </Button>
        <p className="hint">{t("receipt")}</p>
      </div>
    </form>
  );
}
