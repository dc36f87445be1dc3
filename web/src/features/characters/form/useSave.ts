import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { FieldErrors, UseFormReturn } from "react-hook-form";
import { api } from "@/shared/api/client";
import { ApiError, messageOf } from "@/shared/api/errors";
import { readToken } from "@/shared/api/token";
import type { Character } from "@/shared/api/types";
import { useOrderKey } from "@/shared/hooks/useOrderKey";
import { paths } from "@/shared/paths";
import { useNavigate } from "@/shared/router";
import { toast } from "@/shared/toast";
import { messages } from "./i18n";
import { type CharacterForm, characterBody, emptyCharacter } from "./schema";

/** Wait before the new page opens, ms. */
const TO_CHARACTER_MS = 1000;
/** Names of the API for what the form holds in another shape. */
const FIELDS: Readonly<Record<string, keyof CharacterForm | "book.name">> = {
  alternateGreetings: "greetings",
  characterBook: "book.name",
};

const save = (character: Character | null, body: FormData, key: string) =>
  character
    ? api.put<{ character: Character }>(`characters/${character._id}`, { form: body })
    : api.post<{ character: Character }>("create", { form: body, headers: { "idempotency-key": key } });

/** The first sentence among errors, however deep it lies. */
export function firstMessage(errors: FieldErrors | undefined): string | undefined {
  for (const error of Object.values(errors ?? {})) {
    if (typeof error !== "object" || error === null) continue;
    if (typeof error.message === "string" && error.message) return error.message;
    const deeper = "ref" in error ? undefined : firstMessage(error as FieldErrors);
    if (deeper) return deeper;
  }
  return undefined;
}

interface SaveOptions {
  form: UseFormReturn<CharacterForm>;
  character: Character | null;
  image: File | null;
  setImageError: (message: string | null) => void;
  /** It is stored: what was kept of it here can go. */
  onSaved: () => void;
}

/** Sends the form, says how it went, and opens the character's page. */
export function useSave({ form, character, image, setImageError, onSaved }: SaveOptions) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [saved, setSaved] = useState(false);
  /** One key for one attempt at one character: a repeated press makes no second one. */
  const key = useOrderKey();
  const leave = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(leave.current), []);

  const fail = (error: unknown) => {
    if (error instanceof ApiError) {
      for (const [name, message] of Object.entries(error.fields)) {
        const choice = /^imageGeneration\[(\w+)\]$/.exec(name)?.[1];
        if (name === "image") setImageError(message);
        else if (choice === "prompt") form.setError("prompt", { message });
        else if (choice && choice in emptyCharacter.choices)
          form.setError(`choices.${choice as keyof CharacterForm["choices"]}`, { message });
        else if (FIELDS[name]) form.setError(FIELDS[name], { message });
        else if (name in emptyCharacter) form.setError(name as keyof CharacterForm, { message });
      }
    }
    key.answered(error);
    const refused = character ? "updateFailed" : "createFailed";
    const fallback = error instanceof ApiError && !error.isNetwork ? refused : "failed";
    toast.error(messageOf(error, messages("save")(fallback)));
  };

  const submit = form.handleSubmit(
    async (values) => {
      const t = messages("save");
      setImageError(null);
      if (values.mode === "upload" && !image && !character?.imageUrl) {
        setImageError(t("noImage"));
        toast.error(t("noImage"));
        return;
      }
      if (!readToken()) {
        toast.error(t("noToken"));
        return;
      }
      try {
        const answer = await save(character, characterBody(values, image), key.current);
        setSaved(true);
        onSaved();
        toast.success(t(character ? "updated" : "created"));
        void client.invalidateQueries({ queryKey: ["characters"] });
        void client.invalidateQueries({ queryKey: ["character", answer.character._id] });
        leave.current = setTimeout(() => navigate(paths.character(answer.character._id)), TO_CHARACTER_MS);
      } catch (error) {
        fail(error);
      }
    },
    (errors) => {
      const first = firstMessage(errors);
      if (first) toast.error(first);
    },
  );

  return { submit, saved };
}
