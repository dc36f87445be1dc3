import { api } from "@/shared/api/client";
import type { Persona, PersonaGender, User } from "@/shared/api/types";

export interface PersonaForm {
  name: string;
  description: string;
  gender: PersonaGender;
  default: boolean;
}

export const emptyPersona: PersonaForm = { name: "", description: "", gender: "", default: false };

/** One's personas as the server has them now. */
export const readPersonas = (username: string) =>
  api
    .get<User>(`user/${encodeURIComponent(username)}`, { query: { isOwnProfile: true } })
    .then((user) => user.personas ?? []);

/** The whole list is what the server takes. */
export const savePersonas = (personas: readonly Persona[]) =>
  api.post<{ personas: Persona[] }>("personas/update", { json: { personas } });

/**
 * The list with one persona added (`id` null) or changed; one that is gone meanwhile is there again. A new default takes
 * the mark from the others.
 */
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
  return others.some((other) => other.id === persona.id)
    ? others.map((other) => (other.id === persona.id ? persona : other))
    : [...others, persona];
}

/** The list with a deleted persona back in it. Another may have become the default meanwhile. */
export function withAgain(personas: readonly Persona[], persona: Persona): Persona[] {
  const taken = personas.some((other) => other.default);
  return [
    ...personas.filter(({ id }) => id !== persona.id),
    { ...persona, default: persona.default && !taken },
  ];
}

/** The list with the default mark on one persona, or on none. */
export function withDefault(personas: readonly Persona[], id: string, on: boolean): Persona[] {
  return personas.map((persona) => ({ ...persona, default: persona.id === id && on }));
}
