import { useQuery } from "@tanstack/react-query";
import {
  choicesOf,
  type ImageChoices,
  type ImageOption,
  imageFormOptions,
  MAX_PROMPT_CHARS,
  OPTION_LABELS,
} from "../catalog/imageOptions";
import { useLoggedIn } from "../store";
import { Chip } from "./Chip";
import { SelectField, TextArea } from "./Field";

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
const GROUPS: readonly { title: string; chips: readonly ImageOption[]; lists: readonly ImageOption[] }[] = [
  { title: "Who", chips: ["gender", "age"], lists: ["ethnicity", "hairColor"] },
  { title: "Figure", chips: ["bodyType", "breastSize"], lists: [] },
  { title: "On stage", chips: ["style"], lists: ["face", "pose"] },
];
const EVERYDAY = "Everyday";
const PRIVATE = "NSFW: stays private";

/** Everything one may ask of a picture: the choices and the words. */
export function ImageOptionsFields({
  choices,
  onChoose,
  prompt,
  onPrompt,
  errors,
  nsfw = false,
}: ImageOptionsFieldsProps) {
  const loggedIn = useLoggedIn();
  const { data } = useQuery({ ...imageFormOptions, enabled: loggedIn });
  const offered = (option: ImageOption) => choicesOf(data, option, nsfw);
  const listed = (option: ImageOption) => {
    const all = offered(option);
    const mixed = all.some((choice) => choice.nsfw);
    return all.map(({ value, label, nsfw: secret }) => ({
      value,
      label,
      group: mixed ? (secret ? PRIVATE : EVERYDAY) : undefined,
    }));
  };
  return (
    <>
      {GROUPS.map(({ title, chips, lists }) => (
        <fieldset className="option-group" key={title}>
          <legend>{title}</legend>
          {chips.map((option) => (
            <fieldset className="field" key={option}>
              <legend className="label">{OPTION_LABELS[option]}</legend>
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
                  label={OPTION_LABELS[option]}
                  value={choices[option]}
                  onChange={(event) => onChoose(option, event.target.value)}
                  placeholder={option === "pose" ? "Any pose" : undefined}
                  options={listed(option)}
                  error={errors?.[option]}
                />
              ))}
            </div>
          )}
        </fieldset>
      ))}
      <TextArea
        label="Prompt"
        rows={4}
        maxLength={MAX_PROMPT_CHARS}
        placeholder="A detective under a streetlamp, collar up, rain on the brim of her hat."
        hint="Clothes, place, light, mood. Everyone drawn is an adult."
        value={prompt}
        onChange={(event) => onPrompt(event.target.value)}
        error={errors?.prompt}
      />
    </>
  );
}
