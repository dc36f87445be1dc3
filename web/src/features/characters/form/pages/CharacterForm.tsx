import { zodResolver } from "@hookform/resolvers/zod";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { Navigate, useLocation, useNavigate, useSearchParams } from "react-router";
import { api } from "@/shared/api/client";
import { ApiError, messageOf } from "@/shared/api/errors";
import { readToken } from "@/shared/api/token";
import type { Character } from "@/shared/api/types";
import { newKey } from "@/shared/key";
import { paths } from "@/shared/paths";
import { useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Button, Failure } from "@/shared/ui";
import { MembersOnly } from "@/shared/ui/MembersOnly";
import { characterOptions } from "../../api";
import { CardFields, HouseRules, PortraitFields, SceneFields } from "../components/FormFields";
import { Preview } from "../components/Preview";
import {
  characterBody,
  characterSchema,
  emptyCharacter,
  type CharacterForm as Form,
  formOf,
  NO_IMAGE,
} from "../schema";
import "../form.css";

/** Wait before the new page opens, ms. */
const TO_CHARACTER_MS = 1000;
const BROKEN = "Error creating/updating character. Please try again.";

const save = (character: Character | null, body: FormData, key: string) =>
  character
    ? api.put<{ character: Character }>(`characters/${character._id}`, { form: body })
    : api.post<{ character: Character }>("create", { form: body, headers: { "idempotency-key": key } });

/** The form itself; `character` is the one that is changed, null for a new one. */
function TheForm({ character }: { character: Character | null }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const form = useForm<Form>({
    resolver: zodResolver(characterSchema),
    defaultValues: character ? formOf(character) : emptyCharacter,
  });
  const [image, setImage] = useState<File | null>(null);
  const [imageError, setImageError] = useState<string | null>(null);
  const [saved, setSaved] = useState(false);
  /** One key for one attempt at one character: a repeated press makes no second one. */
  const key = useRef(newKey());
  const leave = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(leave.current), []);

  const fail = (error: unknown) => {
    if (error instanceof ApiError) {
      for (const [name, message] of Object.entries(error.fields)) {
        if (name === "image") setImageError(message);
        else if (name in emptyCharacter) form.setError(name as keyof Form, { message });
      }
      // Refused for what it held: the next attempt is another one.
      if (!error.isNetwork) key.current = newKey();
    }
    const fallback =
      error instanceof ApiError && !error.isNetwork
        ? character
          ? "Character update failed!"
          : "Character creation failed!"
        : BROKEN;
    toast.error(messageOf(error, fallback));
  };

  const submit = form.handleSubmit(
    async (values) => {
      setImageError(null);
      if (values.mode === "upload" && !image && !character?.imageUrl) {
        setImageError(NO_IMAGE);
        toast.error(NO_IMAGE);
        return;
      }
      if (!readToken()) {
        toast.error("No authentication token found");
        return;
      }
      try {
        const answer = await save(character, characterBody(values, image), key.current);
        setSaved(true);
        toast.success(character ? "Character updated successfully!" : "Character created successfully!");
        void client.invalidateQueries({ queryKey: ["characters"] });
        void client.invalidateQueries({ queryKey: ["character", answer.character._id] });
        leave.current = setTimeout(() => navigate(paths.character(answer.character._id)), TO_CHARACTER_MS);
      } catch (error) {
        fail(error);
      }
    },
    (errors) => {
      const first = Object.values(errors)[0];
      if (typeof first?.message === "string") toast.error(first.message);
    },
  );

  return (
    <form className="character-form" onSubmit={submit} noValidate>
      <Preview form={form} image={image} currentImage={character?.imageUrl ?? null} />
      <PortraitFields
        form={form}
        image={image}
        onImage={(file) => {
          const isImage = file.type.startsWith("image/");
          setImageError(isImage ? null : "That is not an image.");
          if (isImage) setImage(file);
        }}
        currentImage={character?.imageUrl ?? null}
        imageError={imageError}
      />
      <CardFields form={form} />
      <SceneFields form={form} />
      <HouseRules form={form} />
      <div className="form-foot">
        <Button look="lit" size="big" type="submit" busy={form.formState.isSubmitting || saved}>
          {character ? "Save Character" : "Create Character"}
        </Button>
        <Button look="quiet" onClick={() => navigate(-1)}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** Loads the character to change: only its owner gets the whole card. */
function EditForm({ id }: { id: string }) {
  const user = useUser();
  const { data, isPending, refetch } = useQuery({ ...characterOptions(id), staleTime: 0 });
  if (isPending) return <div className="page-wait" role="status" aria-label="Loading character" />;
  if (!data) {
    return <Failure message="Failed to load character data." onRetry={() => void refetch()} />;
  }
  if (data.character.creator._id !== user?._id) return <Navigate to={paths.myCharacters} replace />;
  return <TheForm character={data.character} />;
}

export default function CharacterForm() {
  const { pathname } = useLocation();
  const id = useSearchParams()[0].get("id");
  const editing = pathname === "/character/edit";
  if (editing && !id) return <Navigate to={paths.myCharacters} replace />;
  return (
    <>
      <header className="page-head">
        <h1>{editing ? "Edit character" : "Create a character"}</h1>
        <p>
          {editing
            ? "Chats that have begun keep the card they began with."
            : "Write the card; the character does the rest. Everyone on this stage is an adult."}
        </p>
      </header>
      <MembersOnly title="Characters of your own" text="Writing characters is part of every membership.">
        {editing && id ? <EditForm id={id} key={id} /> : <TheForm character={null} key="new" />}
      </MembersOnly>
    </>
  );
}
