import { Download } from "lucide-react";
import { useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { CardFormat, Character } from "@/shared/api/types";
import { download } from "@/shared/download";
import { toast } from "@/shared/toast";
import { Button, Menu, MenuItem } from "@/shared/ui";
import { useMessages } from "../i18n";

const FORMATS: readonly CardFormat[] = ["png", "json", "charx"];

/** Hands out the card as a file, to its owner and where its creator lets others have it. */
export function ExportMenu({ character }: { character: Pick<Character, "_id" | "name"> }) {
  const t = useMessages("export");
  const [busy, setBusy] = useState(false);
  const keep = async (format: CardFormat) => {
    setBusy(true);
    try {
      await download(`cards/${character._id}/export`, `${character.name}.${format}`, { format });
    } catch (error) {
      toast.error(messageOf(error, t("failed")));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu
      trigger={
        <Button size="small" aria-busy={busy || undefined}>
          <Download className="icon s" />
          {t("export")}
        </Button>
      }
      align="start"
    >
      {FORMATS.map((format) => (
        <MenuItem key={format} onSelect={() => void keep(format)} disabled={busy}>
          <span>
            {format.toUpperCase()}
            <span className="menu-hint">{t(format)}</span>
          </span>
        </MenuItem>
      ))}
    </Menu>
  );
}
