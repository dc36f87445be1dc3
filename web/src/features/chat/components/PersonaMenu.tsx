import { Check, ChevronDown, VenetianMask } from "lucide-react";
import type { Persona } from "@/shared/api/types";
import { paths } from "@/shared/paths";
import { useNavigate } from "@/shared/router";
import { Menu, MenuItem } from "@/shared/ui";
import { useMessages } from "../i18n";

interface PersonaMenuProps {
  personas: readonly Persona[];
  /** Id of the chosen one; undefined: as oneself. */
  chosen: string | undefined;
  /** The reader's own name. */
  self: string;
  onChoose: (id: string | undefined) => void;
}

/** Whom the reader plays in this scene. */
export function PersonaMenu({ personas, chosen, self, onChoose }: PersonaMenuProps) {
  const t = useMessages("composer");
  const navigate = useNavigate();
  const name = personas.find((persona) => persona.id === chosen)?.name ?? self;
  const tick = (on: boolean) => <span className="menu-check">{on && <Check className="icon s" />}</span>;
  return (
    <Menu
      align="start"
      side="top"
      trigger={
        <button type="button" className="as">
          <VenetianMask className="icon s" />
          <span className="sr">{t("play")}</span>
          <span className="hide-s">{t("as")}</span> <b>{name}</b>
          <ChevronDown className="icon s" />
        </button>
      }
    >
      <MenuItem onSelect={() => onChoose(undefined)}>
        {tick(chosen === undefined)}
        {t("yourself", { name: self })}
      </MenuItem>
      {personas.map((persona) => (
        <MenuItem key={persona.id} onSelect={() => onChoose(persona.id)}>
          {tick(persona.id === chosen)}
          {persona.name}
        </MenuItem>
      ))}
      <MenuItem onSelect={() => void navigate(paths.personas)}>
        {tick(false)}
        {t("personas")}
      </MenuItem>
    </Menu>
  );
}
