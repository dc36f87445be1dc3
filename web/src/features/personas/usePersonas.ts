import { useMutation } from "@tanstack/react-query";
import type { Persona } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { readPersonas, savePersonas } from "./api";

function show(personas: Persona[]) {
  const { userData, setUser } = useRoot.getState();
  if (userData) setUser({ ...userData, personas });
}

/** What is to become of a list, whichever it is: another tab may have changed it. */
type Change = (personas: readonly Persona[]) => Persona[];

/**
 * Changes the list as it stands now, and sends it whole, which is what the server takes. Shown at once; taken back where
 * it was refused.
 */
export function useSavePersonas() {
  return useMutation({
    mutationFn: async (change: Change) => {
      const username = useRoot.getState().userData?.username ?? "";
      return savePersonas(change(await readPersonas(username)));
    },
    // One after the other: each list is whole, and the last one stands.
    scope: { id: "personas" },
    onMutate: (change) => {
      const before = useRoot.getState().userData?.personas ?? [];
      show(change(before));
      return before;
    },
    onSuccess: (answer) => show(answer.personas),
    onError: (_error, _change, before) => before && show(before),
  });
}
