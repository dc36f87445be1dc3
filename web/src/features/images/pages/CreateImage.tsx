import { zodResolver } from "@hookform/resolvers/zod";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import { useEffect, useRef } from "react";
import { useForm, useWatch } from "react-hook-form";
import { ApiError, messageOf } from "@/shared/api/errors";
import { readToken } from "@/shared/api/token";
import { choicesOf, DEFAULT_CHOICES, imageFormOptions } from "@/shared/catalog/imageOptions";
import { useOrderKey } from "@/shared/hooks/useOrderKey";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { useNavigate } from "@/shared/router";
import { refreshProfile } from "@/shared/session";
import { useRoot, useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { TextField } from "@/shared/ui";
import { ImageOptionsFields } from "@/shared/ui/ImageOptionsFields";
import { MembersOnly } from "@/shared/ui/MembersOnly";
import { type ImageOrder, MAX_LABEL_CHARS, orderImage } from "../api";
import { OrderTicket } from "../components/OrderTicket";
import { messages, useMessages } from "../i18n";
import { emptyOrder, orderSchema } from "../order";
import "../images.css";

/** Wait before the gallery opens, ms. */
const TO_GALLERY_MS = 1250;

/** Sends the order, says how it went, and opens the gallery. */
function useOrder(refused: (fields: Readonly<Record<string, string>>) => void) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const leave = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(leave.current), []);
  /** One key for one order: a second press while no answer came pays for no second picture. */
  const key = useOrderKey();
  return useMutation({
    mutationFn: (order: ImageOrder) => orderImage(order, key.current),
    onSuccess: () => {
      const t = messages("create");
      toast.success(t("queued"));
      toast.info(t("leaving"));
      void client.invalidateQueries({ queryKey: ["images"] });
      // Coins were set aside: the profile knows how many are left.
      refreshProfile().catch(() => undefined);
      leave.current = setTimeout(() => navigate(paths.myImages), TO_GALLERY_MS);
    },
    onError: (error) => {
      if (error instanceof ApiError && !error.isNetwork) {
        refused(error.fields);
      }
      key.answered(error);
      const fallback = error instanceof ApiError && !error.isNetwork ? "refused" : "failed";
      toast.error(messageOf(error, messages("create")(fallback)));
    },
  });
}

function ImageForm() {
  const t = useMessages("create");
  const user = useUser();
  const nsfw = useRoot((state) => state.nsfw);
  const { data: told } = useQuery({ ...imageFormOptions, enabled: user !== null });
  const form = useForm<ImageOrder>({ resolver: zodResolver(orderSchema), defaultValues: emptyOrder });
  // The form holds all its fields from the first; only the type of what is watched is partial.
  const { prompt, label: _, ...choices } = { ...emptyOrder, ...useWatch({ control: form.control }) };
  const order = useOrder((fields) => {
    for (const [field, message] of Object.entries(fields)) {
      if (field in emptyOrder) form.setError(field as keyof ImageOrder, { message });
    }
  });

  // What was chosen while NSFW was on is not asked for once it is off.
  const allowed = (option: "face" | "pose") =>
    choicesOf(told, option, nsfw).some((choice) => choice.value === choices[option])
      ? choices[option]
      : DEFAULT_CHOICES[option];
  const offered = { ...choices, face: allowed("face"), pose: allowed("pose") };
  const submit = form.handleSubmit((values) => {
    if (readToken()) order.mutate({ ...values, face: offered.face, pose: offered.pose });
    else toast.error(t("noToken"));
  });

  const secret = (["face", "pose"] as const).some((option) =>
    choicesOf(told, option, true).some((choice) => choice.nsfw && choice.value === offered[option]),
  );
  const { errors } = form.formState;
  const problems = Object.fromEntries(
    (["ethnicity", "hairColor", "face", "pose", "prompt"] as const).map((field) => [
      field,
      errors[field]?.message,
    ]),
  );
  return (
    <form className="image-form" onSubmit={submit} noValidate>
      <div className="image-form-fields">
        <ImageOptionsFields
          choices={offered}
          onChoose={(option, value) => form.setValue(option, value, { shouldDirty: true })}
          prompt={prompt}
          onPrompt={(words) => form.setValue("prompt", words, { shouldDirty: true })}
          errors={problems}
          nsfw={nsfw}
        />
        {secret && (
          <p className="note">
            <Lock className="icon s" />
            {t("secret")}
          </p>
        )}
        <TextField
          label={t("label")}
          hint={t("labelHint")}
          maxLength={MAX_LABEL_CHARS}
          error={errors.label?.message}
          {...form.register("label")}
        />
      </div>
      <OrderTicket choices={offered} told={told} busy={order.isPending || order.isSuccess} />
    </form>
  );
}

export default function CreateImage() {
  const t = useMessages("create");
  useTitle(t("title"));
  return (
    <>
      <header className="page-head">
        <h1>{t("title")}</h1>
        <p>{t("lead")}</p>
      </header>
      <MembersOnly title={t("membersTitle")} text={t("membersText")}>
        <ImageForm />
      </MembersOnly>
    </>
  );
}
