import { ImagePlus } from "lucide-react";
import { useEffect, useRef } from "react";
import { sized } from "@/shared/media";
import { Button } from "@/shared/ui";
import { useMessages } from "../i18n";
import { useDrop } from "../useDrop";
import { useObjectUrl } from "../useObjectUrl";

interface ImagePickProps {
  file: File | null;
  onPick: (file: File) => void;
  /** The picture the character has already. */
  current: string | null;
  error: string | null;
}

/** What the server can read. */
const TYPES = "image/png,image/jpeg,image/webp,image/gif";

/** A frame for the portrait: choose a file or drop one. */
export function ImagePick({ file, onPick, current, error }: ImagePickProps) {
  const t = useMessages("portrait");
  const input = useRef<HTMLInputElement>(null);
  const choose = useRef<HTMLButtonElement>(null);
  // What is wrong with it is at the top of a long form: the reader is taken there.
  useEffect(() => {
    if (error) choose.current?.focus();
  }, [error]);
  const url = useObjectUrl(file);
  const { over, target } = useDrop(onPick);
  const shown = url ?? (current && sized(current, "card"));
  return (
    <div className={over ? "image-pick over" : "image-pick"} {...target}>
      <div className="image-pick-art">
        {shown ? (
          <img src={shown} alt={t("portrait")} width={480} height={640} />
        ) : (
          <ImagePlus className="icon l" strokeWidth={1} />
        )}
      </div>
      <div className="image-pick-side">
        <Button ref={choose} onClick={() => input.current?.click()}>
          <ImagePlus className="icon s" />
          {t(shown ? "change" : "pick")}
        </Button>
        <input
          ref={input}
          className="sr"
          type="file"
          accept={TYPES}
          tabIndex={-1}
          aria-label={t("label")}
          onChange={(event) => {
            const picked = event.target.files?.[0];
            event.target.value = "";
            if (picked) onPick(picked);
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
    </div>
  );
}
