import { zodResolver } from "@hookform/resolvers/zod";
import { useQueryClient } from "@tanstack/react-query";
import { ImagePlus } from "lucide-react";
import { type ChangeEvent, useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { z } from "zod";
import { ApiError, messageOf } from "@/shared/api/errors";
import type { User } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Avatar, Button, TextArea, TextField } from "@/shared/ui";
import { type ProfileForm, updateProfile } from "../api";
import { useMessages } from "../i18n";
import { AlsoYours } from "./AlsoYours";

/** Most these fields hold, characters. */
const MAX_USERNAME = 30;
const MAX_BIO = 1000;
const MAX_LINK = 200;
const FIELDS = ["username", "bio", "sponsorMeLink"] as const;

const isHttps = (text: string) => text === "" || (/^https:\/\//i.test(text) && URL.canParse(text));

const schema = (say: (problem: "usernameMissing" | "notHttps") => string) =>
  z.object({
    username: z.string().trim().min(1, say("usernameMissing")).max(MAX_USERNAME),
    bio: z.string().max(MAX_BIO),
    sponsorMeLink: z.string().trim().max(MAX_LINK).refine(isHttps, say("notHttps")),
  });

const valuesOf = (user: User): ProfileForm => ({
  username: user.username,
  bio: user.bio,
  sponsorMeLink: user.sponsorMeLink ?? "",
});

/** A picture chosen from the disk and a temporary address to show it by. */
function usePicture() {
  const [picture, setPicture] = useState<{ file: File; url: string } | null>(null);
  useEffect(() => () => void (picture && URL.revokeObjectURL(picture.url)), [picture]);
  return {
    picture,
    choose: (file: File | null) => setPicture(file && { file, url: URL.createObjectURL(file) }),
  };
}

function Profile({ user }: { user: User }) {
  const t = useMessages("profile");
  const form = useForm<ProfileForm>({
    resolver: zodResolver(schema(t)),
    defaultValues: valuesOf(user),
    // What is stored here may be older than the account: what has not been touched follows it.
    values: valuesOf(user),
    resetOptions: { keepDirtyValues: true },
  });
  const { errors, isSubmitting } = form.formState;
  const client = useQueryClient();
  const { picture, choose } = usePicture();
  const file = useRef<HTMLInputElement>(null);
  const [pictureError, setPictureError] = useState<string | null>(null);

  const chosen = (event: ChangeEvent<HTMLInputElement>) => {
    const picked = event.target.files?.[0] ?? null;
    event.target.value = "";
    if (!picked) return;
    const image = picked.type.startsWith("image/");
    setPictureError(image ? null : t("notImage"));
    if (image) choose(picked);
  };

  const save = form.handleSubmit(async (values) => {
    try {
      const answer = await updateProfile(values, picture?.file ?? null);
      useRoot.getState().setUser(answer.user);
      choose(null);
      form.reset(valuesOf(answer.user));
      // It says what could be had; one's own page says what was there before.
      void client.invalidateQueries({ queryKey: ["profile"] });
      void client.invalidateQueries({ queryKey: ["creator"] });
      toast.success(t("saved"));
    } catch (error) {
      if (error instanceof ApiError) {
        for (const name of FIELDS) {
          if (error.fields[name]) form.setError(name, { message: error.fields[name] });
        }
        if (error.fields.pfp) setPictureError(error.fields.pfp);
      }
      toast.error(messageOf(error, t("failed")));
    }
  });

  return (
    <form className="profile-form" onSubmit={save} noValidate>
      <div className="profile-picture">
        <Avatar name={user.username} src={picture?.url ?? user.pfp} size="huge" />
        <div>
          <Button onClick={() => file.current?.click()}>
            <ImagePlus className="icon s" />
            {user.pfp || picture ? t("changePicture") : t("addPicture")}
          </Button>
          <input
            ref={file}
            className="sr"
            type="file"
            accept="image/*"
            tabIndex={-1}
            aria-label={t("picture")}
            onChange={chosen}
          />
          {pictureError ? (
            <p className="error" role="alert">
              {pictureError}
            </p>
          ) : (
            <p className="hint">{t("pictureHint")}</p>
          )}
        </div>
      </div>
      <TextField
        label={t("username")}
        autoComplete="username"
        maxLength={MAX_USERNAME}
        error={errors.username?.message}
        {...form.register("username")}
      />
      <TextArea
        label={t("bio")}
        rows={4}
        maxLength={MAX_BIO}
        hint={t("bioHint")}
        error={errors.bio?.message}
        {...form.register("bio")}
      />
      <TextField
        label={t("sponsor")}
        type="url"
        inputMode="url"
        autoComplete="url"
        placeholder={t("sponsorExample")}
        maxLength={MAX_LINK}
        hint={t("sponsorHint")}
        error={errors.sponsorMeLink?.message}
        {...form.register("sponsorMeLink")}
      />
      <TextField label={t("email")} value={user.email ?? ""} readOnly hint={t("emailHint")} />
      <div className="plan-foot">
        <Button look="lit" type="submit" busy={isSubmitting}>
          {t("save")}
        </Button>
      </div>
    </form>
  );
}

/** Who one is, and the way to what else is one's own. */
export function ProfileTab({ user }: { user: User }) {
  return (
    <div className="acct">
      <Profile user={user} />
      <AlsoYours user={user} />
    </div>
  );
}
