import { Controller, type UseFormReturn, useWatch } from "react-hook-form";
import { Segmented, Switch, TextField } from "@/shared/ui";
import { useMessages } from "../i18n";
import { type CharacterForm, MAX_CHARS } from "../schema";
import { Counted } from "./Counted";
import { DrawnPortrait } from "./DrawnPortrait";
import { Greetings } from "./Greetings";
import { ImagePick } from "./ImagePick";
import { TagInput } from "./TagInput";

interface FormFieldsProps {
  form: UseFormReturn<CharacterForm>;
  image: File | null;
  onImage: (file: File) => void;
  currentImage: string | null;
  imageError: string | null;
}

/** The portrait: a picture of one's own, or one that is drawn. */
export function PortraitFields({ form, image, onImage, currentImage, imageError }: FormFieldsProps) {
  const t = useMessages("portrait");
  const mode = useWatch({ control: form.control, name: "mode" });
  return (
    <section className="form-part" aria-labelledby="part-portrait">
      <h2 id="part-portrait">{t("title")}</h2>
      <Controller
        control={form.control}
        name="mode"
        render={({ field }) => (
          <Segmented
            label={t("mode")}
            value={field.value}
            onChange={field.onChange}
            options={[
              { value: "upload", label: t("upload") },
              { value: "generate", label: t("generate") },
            ]}
          />
        )}
      />
      {mode === "upload" ? (
        <ImagePick file={image} onPick={onImage} current={currentImage} error={imageError} />
      ) : (
        <DrawnPortrait form={form} />
      )}
    </section>
  );
}

/** Who they are. */
export function CardFields({ form }: Pick<FormFieldsProps, "form">) {
  const t = useMessages("who");
  const { errors } = form.formState;
  const generated = useWatch({ control: form.control, name: "mode" }) === "generate";
  return (
    <section className="form-part" aria-labelledby="part-card">
      <h2 id="part-card">{t("title")}</h2>
      <div className={generated ? undefined : "form-pair"}>
        <Counted
          form={form}
          name="name"
          label={t("name")}
          maxLength={MAX_CHARS.name}
          error={errors.name?.message}
        />
        {!generated && (
          <TextField
            label={t("age")}
            inputMode="numeric"
            hint={t("ageHint")}
            error={errors.age?.message}
            {...form.register("age")}
          />
        )}
      </div>
      <Controller
        control={form.control}
        name="tags"
        render={({ field }) => (
          <TagInput tags={field.value} onChange={field.onChange} error={errors.tags?.message} />
        )}
      />
      <Counted
        form={form}
        name="description"
        label={t("description")}
        rows={3}
        maxLength={MAX_CHARS.description}
        hint={t("descriptionHint")}
        error={errors.description?.message}
      />
      <Counted
        form={form}
        name="personality"
        label={t("personality")}
        rows={4}
        maxLength={MAX_CHARS.personality}
        hint={t("personalityHint")}
        error={errors.personality?.message}
      />
      <Counted
        form={form}
        name="outfit"
        label={t("outfit")}
        maxLength={MAX_CHARS.outfit}
        error={errors.outfit?.message}
      />
      <Counted
        form={form}
        name="kinks"
        label={t("kinks")}
        hint={t("kinksHint")}
        maxLength={MAX_CHARS.kinks}
        error={errors.kinks?.message}
      />
    </section>
  );
}

/** How it begins. */
export function SceneFields({ form }: Pick<FormFieldsProps, "form">) {
  const t = useMessages("scene");
  const { errors } = form.formState;
  return (
    <section className="form-part" aria-labelledby="part-scene">
      <h2 id="part-scene">{t("title")}</h2>
      <Counted
        form={form}
        name="firstMessage"
        label={t("first")}
        rows={5}
        maxLength={MAX_CHARS.firstMessage}
        placeholder={t("firstExample")}
        hint={t("firstHint")}
        error={errors.firstMessage?.message}
      />
      <Greetings form={form} />
      <Counted
        form={form}
        name="scenario"
        label={t("scenario")}
        rows={3}
        maxLength={MAX_CHARS.scenario}
        hint={t("scenarioHint")}
        error={errors.scenario?.message}
      />
      <Counted
        form={form}
        name="exampleConversation"
        label={t("example")}
        rows={5}
        maxLength={MAX_CHARS.exampleConversation}
        hint={t("exampleHint")}
        error={errors.exampleConversation?.message}
      />
    </section>
  );
}

/** Who may see them. */
export function HouseRules({ form }: Pick<FormFieldsProps, "form">) {
  const t = useMessages("rules");
  return (
    <section className="form-part" aria-labelledby="part-rules">
      <h2 id="part-rules">{t("title")}</h2>
      <div className="form-switches">
        <Controller
          control={form.control}
          name="public"
          render={({ field }) => (
            <Switch checked={field.value} onChange={field.onChange}>
              {t("public")}
            </Switch>
          )}
        />
        <Controller
          control={form.control}
          name="nsfw"
          render={({ field }) => (
            <Switch checked={field.value} onChange={field.onChange}>
              {t("nsfw")}
            </Switch>
          )}
        />
        <Controller
          control={form.control}
          name="exportable"
          render={({ field }) => (
            <Switch checked={field.value} onChange={field.onChange}>
              {t("exportable")}
            </Switch>
          )}
        />
      </div>
    </section>
  );
}
