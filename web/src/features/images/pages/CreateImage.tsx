import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { ApiError, messageOf } from "@/shared/api/errors";
import { readToken } from "@/shared/api/token";
import { choicesOf, DEFAULT_CHOICES, imageFormOptions } from "@/shared/catalog/imageOptions";
import { plural } from "@/shared/format";
import { paths } from "@/shared/paths";
import { refreshProfile } from "@/shared/session";
import { useRoot, useUser } from "@/shared/store";
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
  const nsfw = useRoot((state) => state.nsfw);
  const { data: told } = useQuery({ ...imageFormOptions, enabled: user !== null });
  const [choices, setChoices] = useState(DEFAULT_CHOICES);
  const [prompt, setPrompt] = useState("");
  const [label, setLabel] = useState("");
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState(false);
  const leave = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(leave.current), []);

  // What was chosen while NSFW was on is not asked for once it is off.
  const allowed = (option: "face" | "pose") =>
    choicesOf(told, option, nsfw).some((choice) => choice.value === choices[option])
      ? choices[option]
      : DEFAULT_CHOICES[option];
  const offered = { ...choices, face: allowed("face"), pose: allowed("pose") };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setErrors({});
    if (!readToken()) {
      toast.error("No authentication token found");
      return;
    }
    setBusy(true);
    try {
      await orderImage({ ...offered, prompt: prompt.trim(), label: label.trim() });
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

  const secret = (["face", "pose"] as const).some((option) =>
    choicesOf(told, option, true).some((choice) => choice.nsfw && choice.value === offered[option]),
  );
  const coins = user?.coins?.available;
  return (
    <form className="image-form" onSubmit={submit} noValidate>
      <ImageOptionsFields
        choices={offered}
        onChoose={(option, value) => setChoices((before) => ({ ...before, [option]: value }))}
        prompt={prompt}
        onPrompt={setPrompt}
        errors={errors}
        nsfw={nsfw}
      />
      {secret && (
        <p className="note">
          <Lock className="icon s" />
          What you chose keeps this picture private: only you will see it.
        </p>
      )}
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
        {coins !== undefined && (
          <p className="hint num">
            {told && told.cost > 0 && `${plural(told.cost, "coin")} for a picture. `}
            {told && coins < told.cost
              ? `You have ${coins.toLocaleString("en-GB")}: more come with the next month of your plan.`
              : `You have ${plural(coins, "coin")}.`}
          </p>
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
