import { UserRound } from "lucide-react";
import type { UseFormReturn } from "react-hook-form";
import { ageOfChoice } from "@/shared/catalog/imageOptions";
import { cut } from "@/shared/format";
import { CARD_DESCRIPTION_CHARS } from "@/shared/limits";
import { useUser } from "@/shared/store";
import type { CharacterForm } from "../schema";
import { useObjectUrl } from "../useObjectUrl";

interface PreviewProps {
  form: UseFormReturn<CharacterForm>;
  image: File | null;
  currentImage: string | null;
}

/** The bill as others will see it, while it is written. */
export function Preview({ form, image, currentImage }: PreviewProps) {
  const user = useUser();
  const chosen = useObjectUrl(image);
  const { mode, name, age, description, choices } = form.watch();
  const src = mode === "upload" ? (chosen ?? currentImage) : null;
  const years = mode === "generate" ? ageOfChoice(choices.age).toString() : age.trim();
  return (
    <aside className="form-preview" aria-hidden="true">
      <div className="bill">
        <div className="bill-art">
          {src ? <img src={src} alt="" /> : <UserRound className="bill-blank" strokeWidth={0.75} />}
          <span className="bill-name">
            {name.trim() || "Your character"}
            <small>{[years, user && `@${user.username}`].filter(Boolean).join(" · ")}</small>
          </span>
        </div>
        <p className="bill-line">
          {cut(description, CARD_DESCRIPTION_CHARS) || "The first lines of the description stand here."}
        </p>
      </div>
    </aside>
  );
}
