import { api } from "@/shared/api/client";
import type { Persona, PersonaGender } from "@/shared/api/types";

export interface PersonaForm {
  name: string;
  description: string;
  gender: PersonaGender;
  default: boolean;
}

export const emptyPersona: PersonaForm = { name: "", description: "", gender: "", default: false };

/** The whole list is what the server takes. */
export const savePersonas = (personas: readonly Persona[]) =>
  api.post<{ personas: Persona[] }>("personas/update", { json: { personas } });

/** The list with one persona added (`id` null) or changed. A new default takes the mark from the others. */
export function withPersona(
  personas: readonly Persona[],
  id: string | null,
  form: PersonaForm,
  now = Date.now(),
): Persona[] {
  const persona: Persona = { ...form, name: form.name.trim(), id: id ?? now.toString() };
  const others = personas.map((other) =>
    form.default && other.id !== persona.id ? { ...other, default: false } : other,
  );
  return id === null ? [...others, persona] : others.map((other) => (other.id === id ? persona : other));
}

/** The list with a deleted persona back in it. Another may have become the default meanwhile. */
export function withAgain(personas: readonly Persona[], persona: Persona): Persona[] {
  const taken = personas.some((other) => other.default);
  return [
    ...personas.filter(({ id }) => id !== persona.id),
    { ...persona, default: persona.default && !taken },
  ];
}

/** The list with the default mark on one persona, or on none when it had it. */
export function withDefault(personas: readonly Persona[], id: string): Persona[] {
  return personas.map((persona) => ({ ...persona, default: persona.id === id && !persona.default }));
}
