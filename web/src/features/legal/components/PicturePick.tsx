import { ImagePlus, X } from "lucide-react";
import { useRef } from "react";
import { Button, IconButton } from "@/shared/ui";
import { MAX_PICTURE_BYTES } from "../forms";

interface PicturePickProps {
  file: File | null;
  error?: string;
  onPick: (file: File | null) => void;
  onError: (message: string | undefined) => void;
}

/** The picture that is to be found. Its name is shown, never the picture itself. */
export function PicturePick({ file, error, onPick, onError }: PicturePickProps) {
  const input = useRef<HTMLInputElement>(null);
  const pick = (picked: File | undefined) => {
    if (!picked) return;
    const problem = !picked.type.startsWith("image/")
      ? "That is not an image."
      : picked.size > MAX_PICTURE_BYTES
        ? "A picture may have up to 10 MB."
        : undefined;
    onError(problem);
    if (!problem) onPick(picked);
  };
  return (
    <div className="field">
      <span className="label">The picture, if you have it</span>
      <div className="notice-picture">
        <Button onClick={() => input.current?.click()}>
          <ImagePlus className="icon s" />
          {file ? "Change picture" : "Choose a picture"}
        </Button>
        {file && (
          <span className="notice-file">
            <span>{file.name}</span>
            <IconButton small label="Remove the picture" onClick={() => onPick(null)}>
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
        aria-label="The picture"
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
        <p className="hint">It is used to find the picture and its copies here, and is not kept.</p>
      )}
    </div>
  );
}
