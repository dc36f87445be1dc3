import { useState } from "react";
import { tagName, visibleTags } from "../catalog/tags";
import { useMessages } from "../i18n";
import { CHIPS_COLLAPSED } from "../limits";
import { useLoggedIn } from "../store";
import { Chip } from "./Chip";

interface TagChipsProps {
  chosen: readonly string[];
  onChange: (tags: string[]) => void;
  /** Once this many are chosen, the others rest. */
  max?: number;
}

/** Filter by tag: ten at first, all on demand. A chosen tag stays in sight either way. */
export function TagChips({ chosen, onChange, max = Number.POSITIVE_INFINITY }: TagChipsProps) {
  const t = useMessages("ui");
  const loggedIn = useLoggedIn();
  const [open, setOpen] = useState(false);
  const tags = visibleTags(loggedIn);
  const first = tags.slice(0, CHIPS_COLLAPSED);
  const shown = open
    ? tags
    : [...first, ...tags.filter((tag) => !first.includes(tag) && chosen.includes(tag))];
  return (
    <div className="chips">
      {shown.map((tag) => (
        <Chip
          key={tag}
          pressed={chosen.includes(tag)}
          disabled={chosen.length >= max && !chosen.includes(tag)}
          onChange={(on) => onChange(on ? [...chosen, tag] : chosen.filter((t) => t !== tag))}
        >
          {tagName(tag)}
        </Chip>
      ))}
      <button type="button" className="chip more" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? t("fewer") : t("moreTags", { count: tags.length - shown.length })}
      </button>
    </div>
  );
}
