import { useMutation } from "@tanstack/react-query";
import type { Persona } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { savePersonas } from "./api";

function show(personas: Persona[]) {
  const { userData, setUser } = useRoot.getState();
  if (userData) setUser({ ...userData, personas });
}

/** Sends the whole list, which is what the server takes. Shown at once; taken back where it was refused. */
export function useSavePersonas() {
  return useMutation({
    mutationFn: (personas: readonly Persona[]) => savePersonas(personas),
    // One after the other: each list is whole, and the last one stands.
    scope: { id: "personas" },
    onMutate: (personas) => {
      const before = useRoot.getState().userData?.personas ?? [];
      show([...personas]);
      return before;
    },
    onSuccess: (answer) => show(answer.personas),
    onError: (_error, _personas, before) => before && show(before),
  });
}
