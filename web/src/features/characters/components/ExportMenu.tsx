import { Download } from "lucide-react";
import { useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { CardFormat, Character } from "@/shared/api/types";
import { download } from "@/shared/download";
import { toast } from "@/shared/toast";
import { Button, Menu, MenuItem } from "@/shared/ui";

const FORMATS: readonly { format: CardFormat; label: string; what: string }[] = [
  { format: "png", label: "PNG", what: "the portrait with the card inside" },
  { format: "json", label: "JSON", what: "the card alone, as text" },
  { format: "charx", label: "CHARX", what: "the card with all its files" },
];

/** Hands out the card as a file, to its owner and where its creator lets others have it. */
export function ExportMenu({ character }: { character: Pick<Character, "_id" | "name"> }) {
  const [busy, setBusy] = useState(false);
  const keep = async (format: CardFormat) => {
    setBusy(true);
    try {
      await download(`cards/${character._id}/export`, `${character.name}.${format}`, { format });
    } catch (error) {
      toast.error(messageOf(error, "The card could not be exported. Please try again."));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu
      trigger={
        <Button size="small" aria-busy={busy || undefined}>
          <Download className="icon s" />
          Export
        </Button>
      }
      align="start"
    >
      {FORMATS.map(({ format, label, what }) => (
        <MenuItem key={format} onSelect={() => void keep(format)} disabled={busy}>
          <span>
            {label}
            <span className="menu-hint">{what}</span>
          </span>
        </MenuItem>
      ))}
    </Menu>
  );
}
