import { ImagePlus, X } from "lucide-react";
import { useRef } from "react";
import { Button, IconButton } from "@/shared/ui";
import { MAX_PICTURE_BYTES } from "../forms";
import { useMessages } from "../i18n";

interface PicturePickProps {
  file: File | null;
  error?: string;
  onPick: (file: File | null) => void;
  onError: (message: string | undefined) => void;
}

/** The picture that is to be found. Its name is shown, never the picture itself. */
export function PicturePick({ file, error, onPick, onError }: PicturePickProps) {
  const t = useMessages("picture");
  const input = useRef<HTMLInputElement>(null);
  const pick = (picked: File | undefined) => {
    if (!picked) return;
    const problem = !picked.type.startsWith("image/")
      ? t("notImage")
      : picked.size > MAX_PICTURE_BYTES
        ? t("tooLarge")
        : undefined;
    onError(problem);
    if (!problem) onPick(picked);
  };
  return (
    <div className="field">
      <span className="label">{t("label")}</span>
      <div className="notice-picture">
        <Button onClick={() => input.current?.click()}>
          <ImagePlus className="icon s" />
          {file ? t("change") : t("choose")}
        </Button>
        {file && (
          <span className="notice-file">
            <span>{file.name}</span>
            <IconButton small label={t("remove")} onClick={() => onPick(null)}>
              <X className="icon s" />
            </IconButton>
          </span>
        )}
      </div>
      <input
        ref={input}
        className="sr"
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif"
        tabIndex={-1}
        aria-label={t("field")}
        onChange={(event) => {
          pick(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
      {error ? (
        <p className="error" role="alert">
          {error}
        </p>
      ) : (
        <p className="hint">{t("hint")}</p>
      )}
    </div>
  );
}
