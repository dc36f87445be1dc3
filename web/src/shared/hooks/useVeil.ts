import { type MouseEvent, useRef } from "react";

/**
 * For a modal that a press beside it closes: what its `<dialog>` has to hear. A click counts where it ends, so one that
 * began inside, as when words are selected and the pointer is let go outside, is none.
 */
export function useVeil(onClose: () => void) {
  const pressed = useRef(false);
  const onIt = ({ target, currentTarget }: MouseEvent) => target === currentTarget;
  return {
    onPointerDown: (event: MouseEvent) => {
      pressed.current = onIt(event);
    },
    onClick: (event: MouseEvent) => {
      if (pressed.current && onIt(event)) onClose();
    },
  };
}
