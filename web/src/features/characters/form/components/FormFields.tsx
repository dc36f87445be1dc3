import { Controller, type UseFormReturn, useWatch } from "react-hook-form";
import { Segmented, Switch, TextField } from "@/shared/ui";
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
  const mode = useWatch({ control: form.control, name: "mode" });
  return (
    <section className="form-part" aria-labelledby="part-portrait">
      <h2 id="part-portrait">The portrait</h2>
      <Controller
        control={form.control}
        name="mode"
        render={({ field }) => (
          <Segmented
            label="Where the portrait comes from"
            value={field.value}
            onChange={field.onChange}
            options={[
              { value: "upload", label: "Upload" },
              { value: "generate", label: "Generate" },
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
  const { errors } = form.formState;
  const generated = useWatch({ control: form.control, name: "mode" }) === "generate";
  return (
    <section className="form-part" aria-labelledby="part-card">
      <h2 id="part-card">The card</h2>
      <div className={generated ? undefined : "form-pair"}>
        <Counted
          form={form}
          name="name"
          label="Name"
          maxLength={MAX_CHARS.name}
          error={errors.name?.message}
        />
        {!generated && (
          <TextField
            label="Age"
            inputMode="numeric"
            hint="18 or over."
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
        label="Description"
        rows={3}
        maxLength={MAX_CHARS.description}
        hint="Everyone reads this. The first 150 characters stand on the card."
        error={errors.description?.message}
      />
      <Counted
        form={form}
        name="personality"
        label="Personality"
        rows={4}
        maxLength={MAX_CHARS.personality}
        hint="How they think, speak and react. Only the character reads it."
        error={errors.personality?.message}
      />
      <Counted
        form={form}
        name="outfit"
        label="Outfit"
        maxLength={MAX_CHARS.outfit}
        error={errors.outfit?.message}
      />
      <Counted
        form={form}
        name="kinks"
        label="Kinks"
        hint="Optional, separated by commas."
        maxLength={MAX_CHARS.kinks}
        error={errors.kinks?.message}
      />
    </section>
  );
}

/** How it begins. */
export function SceneFields({ form }: Pick<FormFieldsProps, "form">) {
  const { errors } = form.formState;
  return (
    <section className="form-part" aria-labelledby="part-scene">
      <h2 id="part-scene">The scene</h2>
      <Counted
        form={form}
        name="firstMessage"
        label="First message"
        rows={5}
        maxLength={MAX_CHARS.firstMessage}
        placeholder="*She looks up from the prompt book.* “You’re late.”"
        hint="The greeting of every new chat. *Actions* between asterisks."
        error={errors.firstMessage?.message}
      />
      <Greetings form={form} />
      <Counted
        form={form}
        name="scenario"
        label="Scenario"
        rows={3}
        maxLength={MAX_CHARS.scenario}
        hint="Where you meet, and what is at stake."
        error={errors.scenario?.message}
      />
      <Counted
        form={form}
        name="exampleConversation"
        label="Example conversation"
        rows={5}
        maxLength={MAX_CHARS.exampleConversation}
        hint="A few lines in their voice, as a model to speak by."
        error={errors.exampleConversation?.message}
      />
    </section>
  );
}

/** Who may see them. */
export function HouseRules({ form }: Pick<FormFieldsProps, "form">) {
  return (
    <section className="form-part" aria-labelledby="part-rules">
      <h2 id="part-rules">The house rules</h2>
      <div className="form-switches">
        <Controller
          control={form.control}
          name="public"
          render={({ field }) => (
            <Switch checked={field.value} onChange={field.onChange}>
              Public: everyone can find and talk to them
            </Switch>
          )}
        />
        <Controller
          control={form.control}
          name="nsfw"
          render={({ field }) => (
            <Switch checked={field.value} onChange={field.onChange}>
              NSFW: behind the curtain until a reader asks
            </Switch>
          )}
        />
        <Controller
          control={form.control}
          name="exportable"
          render={({ field }) => (
            <Switch checked={field.value} onChange={field.onChange}>
              Exportable: others may keep the card, and read what makes them speak
            </Switch>
          )}
        />
      </div>
    </section>
  );
}
