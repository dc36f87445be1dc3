import { type RefObject, useEffect } from "react";
import { placesOf } from "./find";

const NAME = "found";

/** Marks words in the messages that are in the page, without touching the page: by the browser's own highlights. */
export function useMarks(box: RefObject<HTMLElement | null>, words: string): void {
  useEffect(() => {
    const element = box.current;
    if (!element || words.trim() === "" || typeof Highlight === "undefined") return;
    const mark = () => {
      const ranges: Range[] = [];
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (!node.parentElement?.closest(".bubble")) continue;
        for (const [from, to] of placesOf(node.nodeValue ?? "", words)) {
          const range = document.createRange();
          range.setStart(node, from);
          range.setEnd(node, to);
          ranges.push(range);
        }
      }
      CSS.highlights.set(NAME, new Highlight(...ranges));
    };
    mark();
    const changed = new MutationObserver(mark);
    changed.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      changed.disconnect();
      CSS.highlights.delete(NAME);
    };
  }, [box, words]);
}
