import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { type UseFormReturn, useWatch } from "react-hook-form";
import {
  choicesOf,
  DEFAULT_CHOICES,
  type ImageOption,
  imageFormOptions,
} from "@/shared/catalog/imageOptions";
import { useRoot, useUser } from "@/shared/store";
import { ImageOptionsFields } from "@/shared/ui/ImageOptionsFields";
import { useMessages } from "../i18n";
import type { CharacterForm } from "../schema";

/** What a portrait costs, and what there is. */
function Coins() {
  const t = useMessages("portrait");
  const user = useUser();
  const { data: told } = useQuery({ ...imageFormOptions, enabled: user !== null });
  const coins = user?.coins?.available;
  if (coins === undefined || !told || told.cost === 0) return null;
  return (
    <p className="hint num">
      {t("cost", { count: told.cost })} {t(coins < told.cost ? "fewCoins" : "coins", { count: coins })}
    </p>
  );
}

/** Choices that have a place for what is wrong with them. */
const LISTED: readonly ImageOption[] = ["ethnicity", "hairColor", "face", "pose"];

/** Every choice for a portrait that is drawn. What is NSFW is offered for NSFW characters, to readers who see such. */
export function DrawnPortrait({ form }: { form: UseFormReturn<CharacterForm> }) {
  const reader = useRoot((state) => state.nsfw);
  const user = useUser();
  const { data: told } = useQuery({ ...imageFormOptions, enabled: user !== null });
  const [choices, prompt, behind] = useWatch({ control: form.control, name: ["choices", "prompt", "nsfw"] });
  const { errors } = form.formState;
  const nsfw = reader && behind;

  const choose = (option: ImageOption, value: string) => {
    form.setValue(`choices.${option}`, value, { shouldDirty: true });
    form.clearErrors(`choices.${option}`);
  };
  // What was chosen while the character was NSFW is not sent once it is not.
  const { face, pose } = choices;
  useEffect(() => {
    if (!told) return;
    for (const [option, value] of [
      ["face", face],
      ["pose", pose],
    ] as const) {
      const there = value === "" || choicesOf(told, option, nsfw).some((choice) => choice.value === value);
      if (!there) form.setValue(`choices.${option}`, DEFAULT_CHOICES[option]);
    }
  }, [told, nsfw, face, pose, form]);
  const messageOf = (option: ImageOption) => errors.choices?.[option]?.message;
  const messages = Object.fromEntries(LISTED.map((option) => [option, messageOf(option)]));
  return (
    <>
      <ImageOptionsFields
        choices={choices}
        onChoose={choose}
        prompt={prompt}
        onPrompt={(words) => form.setValue("prompt", words, { shouldDirty: true })}
        errors={{ ...messages, prompt: errors.prompt?.message }}
        nsfw={nsfw}
      />
      <Coins />
    </>
  );
}
