import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { ApiError, messageOf } from "@/shared/api/errors";
import { readToken } from "@/shared/api/token";
import { DEFAULT_CHOICES } from "@/shared/catalog/imageOptions";
import { paths } from "@/shared/paths";
import { refreshProfile } from "@/shared/session";
import { useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Button, TextField } from "@/shared/ui";
import { ImageOptionsFields } from "@/shared/ui/ImageOptionsFields";
import { MembersOnly } from "@/shared/ui/MembersOnly";
import { orderImage } from "../api";
import "../images.css";

/** Wait before the gallery opens, ms. */
const TO_GALLERY_MS = 1250;
/** Most a label may hold, characters. */
const MAX_LABEL_CHARS = 100;

function ImageForm() {
  const user = useUser();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [choices, setChoices] = useState(DEFAULT_CHOICES);
  const [prompt, setPrompt] = useState("");
  const [label, setLabel] = useState("");
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState(false);
  const leave = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(leave.current), []);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setErrors({});
    if (!readToken()) {
      toast.error("No authentication token found");
      return;
    }
    setBusy(true);
    try {
      await orderImage({ ...choices, prompt: prompt.trim(), label: label.trim() });
      toast.success("Image is queued up! You can view it in your gallery soon.");
      toast.info("Redirecting to gallery in 1s...");
      void client.invalidateQueries({ queryKey: ["images"] });
      // Coins were set aside; the header of the account shows it when it is next read.
      refreshProfile().catch(() => undefined);
      leave.current = setTimeout(() => navigate(paths.myImages), TO_GALLERY_MS);
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError) setErrors(error.fields);
      const fallback =
        error instanceof ApiError && !error.isNetwork
          ? "Image creation failed!"
          : "Error creating image. Please try again.";
      toast.error(messageOf(error, fallback));
    }
  };

  return (
    <form className="image-form" onSubmit={submit} noValidate>
      <ImageOptionsFields
        choices={choices}
        onChoose={(option, value) => setChoices((before) => ({ ...before, [option]: value }))}
        prompt={prompt}
        onPrompt={setPrompt}
        errors={errors}
      />
      <TextField
        label="Label"
        hint="A name to find it by in your gallery."
        maxLength={MAX_LABEL_CHARS}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
        error={errors.label}
      />
      <div className="form-foot">
        <Button look="lit" size="big" type="submit" busy={busy}>
          Create Image
        </Button>
        {user?.coins && (
          <p className="hint num">You have {user.coins.available.toLocaleString("en-GB")} coins.</p>
        )}
      </div>
    </form>
  );
}

export default function CreateImage() {
  return (
    <>
      <header className="page-head">
        <h1>Create an image</h1>
        <p>Choose a face and a stage. The picture is drawn while you wait, and it is yours alone.</p>
      </header>
      <MembersOnly
        title="A picture of your own"
        text="Drawing pictures is part of every membership, with coins each month to pay for them."
      >
        <ImageForm />
      </MembersOnly>
    </>
  );
}
