import { Plus } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import type { Persona, User } from "@/shared/api/types";
import { paths } from "@/shared/paths";
import { useRoot, useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { Switch } from "@/shared/ui";
import { type PersonaForm, savePersonas, withDefault, withPersona } from "../api";
import { PersonaDialog } from "../components/PersonaDialog";
import "../personas.css";

const UPDATE_FAILED = "Failed to update personas. Please try again.";
const DEFAULT_FAILED = "Failed to update default persona. Please try again.";

/** Sends the list and keeps what the server made of it in the profile. */
async function keep(personas: readonly Persona[]): Promise<void> {
  const answer = await savePersonas(personas);
  const { userData, setUser } = useRoot.getState();
  if (userData) setUser({ ...userData, personas: answer.personas });
}

interface PersonaCardProps {
  persona: Persona;
  onOpen: () => void;
  onDefault: () => void;
}

function PersonaCard({ persona, onOpen, onDefault }: PersonaCardProps) {
  return (
    <article className="persona">
      <button type="button" className="persona-open" onClick={onOpen}>
        <b>{persona.name}</b>
        <span>{persona.description || "No description"}</span>
      </button>
      <div className="persona-foot">
        <Switch
          checked={persona.default}
          onChange={onDefault}
          label={`${persona.name} is the default persona`}
        >
          Default
        </Switch>
      </div>
    </article>
  );
}

function PersonaGrid({ user }: { user: User }) {
  const personas = user.personas ?? [];
  /** The persona in the dialog, `new`, or null while it is closed. */
  const [open, setOpen] = useState<Persona | "new" | null>(null);

  const save = async (form: PersonaForm) => {
    const id = open === "new" || open === null ? null : open.id;
    try {
      await keep(withPersona(personas, id, form));
      toast.success(id === null ? "New persona created successfully!" : "Persona updated successfully!");
      return true;
    } catch {
      toast.error(UPDATE_FAILED);
      return false;
    }
  };
  const makeDefault = async (id: string) => {
    try {
      await keep(withDefault(personas, id));
      toast.success("Default persona updated successfully!");
    } catch {
      toast.error(DEFAULT_FAILED);
    }
  };

  return (
    <>
      <div className="personas">
        <article className="persona new">
          <button type="button" onClick={() => setOpen("new")}>
            <Plus className="icon l" />
            Create New Persona
          </button>
        </article>
        {personas.map((persona) => (
          <PersonaCard
            key={persona.id}
            persona={persona}
            onOpen={() => setOpen(persona)}
            onDefault={() => void makeDefault(persona.id)}
          />
        ))}
      </div>
      {open !== null && (
        <PersonaDialog persona={open === "new" ? null : open} onClose={() => setOpen(null)} onSave={save} />
      )}
    </>
  );
}

export default function Personas() {
  const user = useUser();
  if (!user) return null;
  return (
    <>
      <header className="page-head">
        <h1>Personas</h1>
        <p>Whom you play. A scene begins with your default; another can be chosen at the desk of any chat.</p>
        <Link className="link personas-lore" to={paths.lorebooks}>
          Lorebooks: what characters know of your worlds
        </Link>
      </header>
      <PersonaGrid user={user} />
    </>
  );
}
