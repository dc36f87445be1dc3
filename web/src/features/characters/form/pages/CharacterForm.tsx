import { zodResolver } from "@hookform/resolvers/zod";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useForm } from "react-hook-form";
import type { Character } from "@/shared/api/types";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { Navigate, useLocation, useNavigate, useSearchParams } from "@/shared/router";
import { isFree } from "@/shared/session";
import { useUser } from "@/shared/store";
import { Button, Failure } from "@/shared/ui";
import { MembersOnly } from "@/shared/ui/MembersOnly";
import { characterOptions } from "../../api";
import { HeldNote } from "../../components/HeldNote";
import { MAX_PORTRAIT_BYTES } from "../card";
import { Advanced } from "../components/Advanced";
import { CardPick } from "../components/CardPick";
import { Drafts } from "../components/Drafts";
import { CardFields, HouseRules, PortraitFields, SceneFields } from "../components/FormFields";
import { FormSkeleton } from "../components/FormSkeleton";
import { Lorebook } from "../components/Lorebook";
import { Preview } from "../components/Preview";
import { useMessages } from "../i18n";
import { characterSchema, emptyCharacter, type CharacterForm as Form, formOf } from "../schema";
import { useCard } from "../useCard";
import { useDraft } from "../useDraft";
import { useDropGuard } from "../useDrop";
import { useSave } from "../useSave";
import "../form.css";

/** The form itself; `character` is the one that is changed, null for a new one. */
function TheForm({ character }: { character: Character | null }) {
  const t = useMessages("page");
  const drafted = useMessages("drafts");
  const portrait = useMessages("portrait");
  const navigate = useNavigate();
  const cameFrom = useRef(useLocation().key !== "default");
  const form = useForm<Form>({
    resolver: zodResolver(characterSchema),
    defaultValues: character ? formOf(character) : emptyCharacter,
  });
  const [image, setImage] = useState<File | null>(null);
  const [imageError, setImageError] = useState<string | null>(null);
  const user = useUser();
  const drafts = useDraft({
    form,
    userId: isFree(user) ? null : (user?._id ?? null),
    characterId: character?._id ?? null,
    image,
    setImage,
  });
  const given = { form, image, setImageError, onSaved: drafts.finish };
  const { fills, ...picked } = useCard({ ...given, setImage });
  const { submit, saved } = useSave({ ...given, character });
  useDropGuard();
  const pick = (file: File) => {
    const problem = !file.type.startsWith("image/")
      ? portrait("noImage")
      : file.size > MAX_PORTRAIT_BYTES
        ? portrait("tooLarge")
        : null;
    setImageError(problem);
    if (!problem) setImage(file);
  };
  /** Back to where one came from, if that was a page of ours. */
  const leave = () => (cameFrom.current ? navigate(-1) : navigate(paths.myCharacters));
  return (
    <form className="character-form" onSubmit={submit} noValidate>
      <Preview form={form} image={image} currentImage={character?.imageUrl ?? null} />
      <Drafts drafts={drafts.offers} onResume={drafts.resume} onDiscard={drafts.discard} />
      {character?.heldBecause && <HeldNote because={character.heldBecause} />}
      {!character && <CardPick {...picked} />}
      <PortraitFields
        form={form}
        image={image}
        onImage={pick}
        currentImage={character?.imageUrl ?? null}
        imageError={imageError}
      />
      <CardFields form={form} />
      <SceneFields form={form} />
      <Lorebook form={form} />
      <Advanced form={form} key={`${fills} ${drafts.fills}`} />
      <HouseRules form={form} />
      <div className="form-foot">
        <Button
          look="lit"
          size="big"
          type="submit"
          busy={form.formState.isSubmitting || saved}
          disabled={picked.busy !== null}
        >
          {t(character ? "submitChanged" : "submitNew")}
        </Button>
        <Button look="quiet" onClick={() => void leave()}>
          {t("cancel")}
        </Button>
        {drafts.kept && !saved && <p className="hint">{drafted("kept")}</p>}
      </div>
    </form>
  );
}

/** Loads the character to change, as it stands now: only its owner gets the whole card. */
function EditForm({ id }: { id: string }) {
  const t = useMessages("page");
  const user = useUser();
  const [opened] = useState(Date.now);
  const { data, dataUpdatedAt, isFetching, refetch } = useQuery({ ...characterOptions(id), staleTime: 0 });
  // What was read before may have been changed since, and would be put back by saving.
  if (!data || dataUpdatedAt < opened) {
    if (isFetching) return <FormSkeleton />;
    return <Failure message={t("failed")} onRetry={() => void refetch()} />;
  }
  if (data.character.creator._id !== user?._id) return <Navigate to={paths.myCharacters} replace />;
  return <TheForm character={data.character} />;
}

export default function CharacterForm() {
  const t = useMessages("page");
  const { pathname } = useLocation();
  const id = useSearchParams()[0].get("id");
  const editing = pathname === "/character/edit";
  useTitle(t(editing ? "edit" : "create"));
  // Behind the lock nothing is loaded, and nobody is led away from it.
  const locked = isFree(useUser());
  if (editing && !id) return <Navigate to={paths.myCharacters} replace />;
  return (
    <>
      <header className="page-head">
        <h1>{t(editing ? "edit" : "create")}</h1>
        <p>{t(editing ? "editLead" : "createLead")}</p>
      </header>
      <MembersOnly title={t("membersTitle")} text={t("membersText")}>
        {editing && id ? (
          locked ? (
            <FormSkeleton />
          ) : (
            <EditForm id={id} key={id} />
          )
        ) : (
          <TheForm character={null} key="new" />
        )}
      </MembersOnly>
    </>
  );
}
