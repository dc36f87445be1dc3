import { useCallback, useEffect, useRef, useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { newKey } from "@/shared/key";
import { toast } from "@/shared/toast";
import { keepPicture, pictureOfDraft, sweepPictures } from "./draftPictures";
import { type Draft, draftKey, dropDraft, keepDraft, readDrafts, sweepDrafts } from "./drafts";
import { messages } from "./i18n";
import type { CharacterForm } from "./schema";

/** Wait after the last key before what was written is kept, ms. */
const KEEP_AFTER_MS = 500;

interface DraftOptions {
  form: UseFormReturn<CharacterForm>;
  /** Whose form it is; null keeps nothing. */
  userId: string | null;
  /** The character that is changed, null for a new one. */
  characterId: string | null;
  /** The picture that is chosen. */
  image: File | null;
  setImage: (image: File | null) => void;
}

/** Keeps what is written in this browser, and offers what was left from before. */
export function useDraft({ form, userId, characterId, image, setImage }: DraftOptions) {
  const key = userId ? draftKey(userId, characterId) : null;
  const [offers, setOffers] = useState<Draft[]>(() => (key ? readDrafts(key) : []));
  const [kept, setKept] = useState(false);
  /** How often the form was filled from a draft. */
  const [fills, setFills] = useState(0);
  const id = useRef(newKey());
  const done = useRef(false);
  const picture = useRef(image);
  /** Keeps the form as it stands, some time after it was last changed. */
  const keepSoon = useRef(() => {});

  // What nobody came back for takes its picture along.
  useEffect(() => void sweepPictures(sweepDrafts()), []);

  useEffect(() => {
    if (picture.current === image) return;
    picture.current = image;
    if (!key || done.current) return;
    void keepPicture(id.current, image);
    keepSoon.current();
  }, [image, key]);

  useEffect(() => {
    if (!key) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = () => {
      timer = undefined;
      if (done.current) return;
      const values = form.getValues();
      setKept(
        keepDraft(key, { id: id.current, savedAt: Date.now(), values, picture: picture.current !== null }),
      );
    };
    keepSoon.current = () => {
      if (done.current) return;
      clearTimeout(timer);
      timer = setTimeout(keep, KEEP_AFTER_MS);
    };
    const stop = form.subscribe({
      formState: { values: true, isDirty: true },
      callback: ({ isDirty }) => {
        if (isDirty) keepSoon.current();
      },
    });
    // Whoever leaves within that wait has written too.
    const leave = () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      keep();
    };
    globalThis.addEventListener("pagehide", leave);
    return () => {
      stop();
      leave();
      globalThis.removeEventListener("pagehide", leave);
    };
  }, [form, key]);

  const resume = async (draft: Draft) => {
    form.reset(draft.values, { keepDefaultValues: true });
    id.current = draft.id;
    setOffers((all) => all.filter((other) => other.id !== draft.id));
    setFills((count) => count + 1);
    setKept(true);
    const found = draft.picture ? await pictureOfDraft(draft.id) : null;
    setImage(found);
    const t = messages("drafts");
    if (draft.picture && !found) toast.info(t("backBare"));
    else toast.success(t("back"));
  };

  const discard = (draft: Draft) => {
    if (!key) return;
    dropDraft(key, draft.id);
    setOffers((all) => all.filter((other) => other.id !== draft.id));
    toast.undo(messages("drafts")("deleted"), () => {
      keepDraft(key, draft);
      setOffers((all) => [draft, ...all]);
    });
  };

  /** It was sent: there is nothing left to keep. */
  const finish = useCallback(() => {
    done.current = true;
    if (!key) return;
    dropDraft(key, id.current);
    void keepPicture(id.current, null);
  }, [key]);

  return { offers, kept, fills, resume, discard, finish };
}
