import { UserRound } from "lucide-react";
import { type UseFormReturn, useWatch } from "react-hook-form";
import { cut } from "@/shared/brief";
import { ageOfChoice } from "@/shared/catalog/imageOptions";
import { NSFW_TAG, tagName } from "@/shared/catalog/tags";
import { CARD_DESCRIPTION_CHARS } from "@/shared/limits";
import { sized } from "@/shared/media";
import { useUser } from "@/shared/store";
import { useMessages } from "../i18n";
import type { CharacterForm } from "../schema";
import { useObjectUrl } from "../useObjectUrl";
import { Budget } from "./Budget";

interface PreviewProps {
  form: UseFormReturn<CharacterForm>;
  image: File | null;
  currentImage: string | null;
}

/** The bill as others will see it, while it is written. */
export function Preview({ form, image, currentImage }: PreviewProps) {
  const t = useMessages("preview");
  const user = useUser();
  const chosen = useObjectUrl(image);
  // Watched here alone: the form above does not draw itself anew at every key.
  const [mode, name, age, description, choices, tags, nsfw] = useWatch({
    control: form.control,
    name: ["mode", "name", "age", "description", "choices", "tags", "nsfw"],
  });
  const src = mode === "upload" ? (chosen ?? (currentImage && sized(currentImage, "card"))) : null;
  const years = mode === "generate" ? ageOfChoice(choices.age).toString() : age.trim();
  return (
    <aside className="form-preview" aria-label={t("title")}>
      <div className="bill" aria-hidden="true">
        <div className="bill-art">
          {src ? (
            <img src={src} alt="" width={480} height={640} />
          ) : (
            <UserRound className="bill-blank" strokeWidth={0.75} />
          )}
          <span className="bill-name">
            {name.trim() || t("name")}
            <small>{[years, user && `@${user.username}`].filter(Boolean).join(" · ")}</small>
          </span>
        </div>
        <p className="bill-line">{cut(description, CARD_DESCRIPTION_CHARS) || t("line")}</p>
        {(tags.length > 0 || nsfw) && (
          <p className="form-preview-tags">
            {[...new Set([...(nsfw ? [NSFW_TAG] : []), ...tags].map(tagName))].map((tag) => (
              <span key={tag}>{tag}</span>
            ))}
          </p>
        )}
      </div>
      <Budget form={form} />
    </aside>
  );
}
