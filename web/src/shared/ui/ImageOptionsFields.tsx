import { useQuery } from "@tanstack/react-query";
import {
  choicesOf,
  type ImageChoices,
  type ImageOption,
  imageFormOptions,
  MAX_PROMPT_CHARS,
} from "../catalog/imageOptions";
import { useLoggedIn } from "../store";
import { Chip } from "./Chip";
import { SelectField, TextArea } from "./Field";
import { useMessages } from "./i18n";

interface ImageOptionsFieldsProps {
  choices: ImageChoices;
  onChoose: (option: ImageOption, value: string) => void;
  prompt: string;
  onPrompt: (prompt: string) => void;
  /** Messages by field name, from the server. */
  errors?: Readonly<Record<string, string | undefined>>;
  /** Offers what keeps a picture private as well. */
  nsfw?: boolean;
}

/** What belongs together. Few values are shown as chips, many as a list. */
const GROUPS: readonly {
  title: "who" | "figure" | "stage";
  chips: readonly ImageOption[];
  lists: readonly ImageOption[];
}[] = [
  { title: "who", chips: ["gender", "age"], lists: ["ethnicity", "hairColor"] },
  { title: "figure", chips: ["bodyType", "breastSize"], lists: [] },
  { title: "stage", chips: ["style"], lists: ["face", "pose"] },
];

/** Everything one may ask of a picture: the choices and the words. */
export function ImageOptionsFields({
  choices,
  onChoose,
  prompt,
  onPrompt,
  errors,
  nsfw = false,
}: ImageOptionsFieldsProps) {
  const t = useMessages("picture");
  const loggedIn = useLoggedIn();
  const { data } = useQuery({ ...imageFormOptions, enabled: loggedIn });
  const offered = (option: ImageOption) => choicesOf(data, option, nsfw);
  const listed = (option: ImageOption) => {
    const all = offered(option);
    const mixed = all.some((choice) => choice.nsfw);
    return all.map(({ value, label, nsfw: secret }) => ({
      value,
      label,
      group: mixed ? t(secret ? "private" : "everyday") : undefined,
    }));
  };
  return (
    <>
      {GROUPS.map(({ title, chips, lists }) => (
        <fieldset className="option-group" key={title}>
          <legend>{t(title)}</legend>
          {chips.map((option) => (
            <fieldset className="field" key={option}>
              <legend className="label">{t(option)}</legend>
              <div className="chips">
                {offered(option).map(({ value, label }) => (
                  <Chip
                    key={value}
                    pressed={choices[option] === value}
                    onChange={() => onChoose(option, value)}
                  >
                    {label}
                  </Chip>
                ))}
              </div>
            </fieldset>
          ))}
          {lists.length > 0 && (
            <div className="option-lists">
              {lists.map((option) => (
                <SelectField
                  key={option}
                  label={t(option)}
                  value={choices[option]}
                  onChange={(event) => onChoose(option, event.target.value)}
                  placeholder={option === "pose" ? t("anyPose") : undefined}
                  options={listed(option)}
                  error={errors?.[option]}
                />
              ))}
            </div>
          )}
        </fieldset>
      ))}
      <TextArea
        label={t("prompt")}
        rows={4}
        maxLength={MAX_PROMPT_CHARS}
        placeholder={t("promptExample")}
        hint={t("promptHint")}
        value={prompt}
        onChange={(event) => onPrompt(event.target.value)}
        error={errors?.prompt}
      />
    </>
  );
}
