import {
  IMAGE_OPTIONS,
  type ImageChoices,
  type ImageOption,
  MAX_PROMPT_CHARS,
  OPTION_LABELS,
  optionLabel,
} from "../catalog/imageOptions";
import { Chip } from "./Chip";
import { SelectField, TextArea } from "./Field";

interface ImageOptionsFieldsProps {
  choices: ImageChoices;
  onChoose: (option: ImageOption, value: string) => void;
  prompt: string;
  onPrompt: (prompt: string) => void;
  /** Messages by field name, from the server. */
  errors?: Readonly<Record<string, string | undefined>>;
}

/** Few values are shown as chips, many as a list. */
const AS_CHIPS: readonly ImageOption[] = ["gender", "age", "style", "bodyType"];
const AS_LISTS: readonly ImageOption[] = ["ethnicity", "hairColor", "face", "pose", "breastSize"];

/** Everything one may ask of a picture: the choices and the words. */
export function ImageOptionsFields({ choices, onChoose, prompt, onPrompt, errors }: ImageOptionsFieldsProps) {
  return (
    <>
      {AS_CHIPS.map((option) => (
        <fieldset className="field" key={option}>
          <legend className="label">{OPTION_LABELS[option]}</legend>
          <div className="chips">
            {IMAGE_OPTIONS[option].map((value) => (
              <Chip key={value} pressed={choices[option] === value} onChange={() => onChoose(option, value)}>
                {optionLabel(value)}
              </Chip>
            ))}
          </div>
        </fieldset>
      ))}
      <div className="option-lists">
        {AS_LISTS.map((option) => (
          <SelectField
            key={option}
            label={OPTION_LABELS[option]}
            value={choices[option]}
            onChange={(event) => onChoose(option, event.target.value)}
            options={IMAGE_OPTIONS[option].map((value) => ({ value, label: optionLabel(value) }))}
            error={errors?.[option]}
          />
        ))}
      </div>
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
