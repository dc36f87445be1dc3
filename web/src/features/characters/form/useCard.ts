import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { ApiError, messageOf } from "@/shared/api/errors";
import type { CardRead } from "@/shared/api/types";
import { useOrderKey } from "@/shared/hooks/useOrderKey";
import { paths } from "@/shared/paths";
import { useNavigate } from "@/shared/router";
import { toast } from "@/shared/toast";
import { filled, importCard, pictureOf, readCard } from "./card";
import { messages } from "./i18n";
import { type CharacterForm, emptyCharacter } from "./schema";

interface Card {
  file: File;
  read: CardRead;
  /** The portrait that came with it. */
  picture: File | null;
}

interface CardHolder {
  form: UseFormReturn<CharacterForm>;
  image: File | null;
  setImage: (image: File | null) => void;
  setImageError: (message: string | null) => void;
  onSaved: () => void;
}

/** A card that fills the form, or becomes a character as it is. */
export function useCard({ form, image, setImage, setImageError, onSaved }: CardHolder) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [card, setCard] = useState<Card | null>(null);
  const [busy, setBusy] = useState<"reading" | "importing" | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** How often the form was filled from outside. */
  const [fills, setFills] = useState(0);
  const key = useOrderKey();

  /** Puts what the server says about fields where it belongs; the rest is told beside the card. */
  const mark = (problems: Readonly<Record<string, string>>) => {
    const elsewhere: string[] = [];
    for (const [field, message] of Object.entries(problems)) {
      if (field === "image" || field === "picture") setImageError(message);
      else if (field in emptyCharacter) form.setError(field as keyof CharacterForm, { message });
      else elsewhere.push(message);
    }
    return elsewhere.join(" ") || null;
  };

  const read = async (file: File) => {
    setBusy("reading");
    setProblem(null);
    try {
      const answer = await readCard(file);
      const picture = pictureOf(answer, file);
      const before = { values: form.getValues(), image, card };
      const values = filled(before.values, answer.card);
      form.reset(picture ? { ...values, mode: "upload" } : values, { keepDefaultValues: true });
      if (picture) setImage(picture);
      setImageError(null);
      setCard({ file, read: answer, picture });
      setProblem(mark(answer.problems));
      setFills((count) => count + 1);
      key.renew();
      toast.undo(messages("card")("filled"), () => {
        form.reset(before.values, { keepDefaultValues: true });
        setImage(before.image);
        setCard(before.card);
        setProblem(null);
      });
    } catch (error) {
      setProblem(messageOf(error, messages("card")("failed")));
    } finally {
      setBusy(null);
    }
  };

  const importWhole = async () => {
    if (!card) return;
    const t = messages("save");
    const values = form.getValues();
    const own = image && image !== card.picture ? image : null;
    const hasPicture = card.read.pictureIsFile || card.read.picture !== null;
    if (values.mode === "upload" && !own && !hasPicture) {
      setImageError(t("noImage"));
      toast.error(t("noImage"));
      return;
    }
    setBusy("importing");
    setProblem(null);
    try {
      const { character } = await importCard(card.file, values, own, key.current);
      onSaved();
      toast.success(t("created"));
      void client.invalidateQueries({ queryKey: ["characters"] });
      void navigate(paths.character(character._id));
    } catch (error) {
      if (error instanceof ApiError) setProblem(mark(error.fields));
      key.answered(error);
      toast.error(messageOf(error, t("createFailed")));
      setBusy(null);
    }
  };

  return { card, fills, busy, problem, read, importWhole };
}
