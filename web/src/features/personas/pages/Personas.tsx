import { Plus } from "lucide-react";
import { useId, useRef, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { Persona, User } from "@/shared/api/types";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Switch } from "@/shared/ui";
import { type PersonaForm, withAgain, withDefault, withPersona } from "../api";
import { PersonaDialog } from "../components/PersonaDialog";
import { useMessages } from "../i18n";
import { useSavePersonas } from "../usePersonas";
import "../personas.css";

interface PersonaCardProps {
  persona: Persona;
  onOpen: () => void;
  onDefault: () => void;
}

function PersonaCard({ persona, onOpen, onDefault }: PersonaCardProps) {
  const t = useMessages("personas");
  return (
    <article className="persona">
      <button type="button" className="persona-open" onClick={onOpen}>
        <b>{persona.name}</b>
        <span>{persona.description || t("noDescription")}</span>
      </button>
      <div className="persona-foot">
        <Switch checked={persona.default} onChange={onDefault} label={t("isDefault", { name: persona.name })}>
          {t("default")}
        </Switch>
      </div>
    </article>
  );
}

function PersonaGrid({ user }: { user: User }) {
  const t = useMessages("personas");
  const personas = user.personas ?? [];
  /** The persona in the dialog, `new`, or null while it is closed. */
  const [open, setOpen] = useState<Persona | "new" | null>(null);

  const { mutateAsync: keep, mutate } = useSavePersonas();

  const save = async (form: PersonaForm) => {
    const id = open === "new" || open === null ? null : open.id;
    try {
      const now = Date.now();
      await keep((all) => withPersona(all, id, form, now));
      toast.success(t(id === null ? "created" : "updated"));
      return true;
    } catch (error) {
      toast.error(messageOf(error, t("updateFailed")));
      return false;
    }
  };
  const makeDefault = ({ id, default: already }: Persona) =>
    mutate((all) => withDefault(all, id, !already), {
      onSuccess: () => toast.success(t("defaultChanged")),
      onError: (error) => toast.error(messageOf(error, t("defaultFailed"))),
    });
  const failed = { onError: (error: Error) => toast.error(messageOf(error, t("updateFailed"))) };
  const remove = (persona: Persona) => {
    setOpen(null);
    mutate((all) => all.filter(({ id }) => id !== persona.id), {
      ...failed,
      onSuccess: () => toast.undo(t("deleted"), () => mutate((all) => withAgain(all, persona), failed)),
    });
    // What had the focus is gone with it.
    setTimeout(() => first.current?.focus());
  };
  const first = useRef<HTMLButtonElement>(null);
  const leadId = useId();

  return (
    <>
      <div className="personas">
        <article className="persona new">
          <button
            type="button"
            ref={first}
            aria-describedby={personas.length === 0 ? leadId : undefined}
            onClick={() => setOpen("new")}
          >
            <Plus className="icon l" />
            {t("new")}
          </button>
          {personas.length === 0 && <p id={leadId}>{t("newLead")}</p>}
        </article>
        {personas.map((persona) => (
          <PersonaCard
            key={persona.id}
            persona={persona}
            onOpen={() => setOpen(persona)}
            onDefault={() => makeDefault(persona)}
          />
        ))}
      </div>
      {open !== null && (
        <PersonaDialog
          persona={open === "new" ? null : open}
          onClose={() => setOpen(null)}
          onSave={save}
          onDelete={open === "new" ? undefined : () => remove(open)}
        />
      )}
    </>
  );
}

export default function Personas() {
  const t = useMessages("personas");
  useTitle(t("title"));
  const user = useUser();
  if (!user) return null;
  return (
    <>
      <header className="page-head">
        <h1>{t("title")}</h1>
        <p>{t("lead")}</p>
        <Link className="link personas-lore" to={paths.lorebooks}>
          {t("lorebooks")}
        </Link>
      </header>
      <PersonaGrid user={user} />
    </>
  );
}
