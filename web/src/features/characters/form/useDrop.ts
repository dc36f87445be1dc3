import { type DragEvent, useEffect, useState } from "react";

/** Lets a file be dropped on an element; `over` while one is held above it. */
export function useDrop(onFile: (file: File) => void) {
  const [over, setOver] = useState(false);
  return {
    over,
    target: {
      onDragOver: (event: DragEvent) => {
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        // What is left for a child of the element is not left.
        const to = event.relatedTarget;
        if (!(to instanceof Node && event.currentTarget.contains(to))) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        setOver(false);
        const dropped = event.dataTransfer.files[0];
        if (dropped) onFile(dropped);
      },
    },
  };
}

const isFile = (event: globalThis.DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** Keeps a file that was dropped beside its place from opening in the window, over all that was written. */
export function useDropGuard() {
  useEffect(() => {
    const refuse = (event: globalThis.DragEvent) => {
      if (event.defaultPrevented || !isFile(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = "none";
    };
    globalThis.addEventListener("dragover", refuse);
    globalThis.addEventListener("drop", refuse);
    return () => {
      globalThis.removeEventListener("dragover", refuse);
      globalThis.removeEventListener("drop", refuse);
    };
  }, []);
}
