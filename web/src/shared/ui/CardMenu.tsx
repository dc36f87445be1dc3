import { EllipsisVertical } from "lucide-react";
import { lazy, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { CharacterCard } from "../api/types";
import { messagesArrived, useMessages } from "../i18n";
import { useUser } from "../store";
import { IconButton } from "./Button";
import { Optional } from "./Optional";

const CardActions = lazy(async () => {
  const actions = await import("./CardActions");
  await messagesArrived();
  return actions;
});

/** Cards after this one, then those before it, the nearest first. */
function neighbours(card: Element | null | undefined): Element[] {
  const all = [...(card?.closest(".grid, .shelf")?.querySelectorAll(".bill") ?? [])];
  const at = card ? all.indexOf(card) : -1;
  return at < 0 ? [] : [...all.slice(at + 1), ...all.slice(0, at).reverse()];
}

/** When the card goes because it was blocked, the focus goes to the next one and not to the top of the page. */
function useHeir(button: RefObject<HTMLElement | null>): () => void {
  const heirs = useRef<Element[]>([]);
  useEffect(
    () => () => {
      const heir = heirs.current.find((card) => card.isConnected);
      heir?.querySelector<HTMLElement>("a, button")?.focus({ preventScroll: true });
    },
    [],
  );
  return () => {
    heirs.current = neighbours(button.current?.closest(".bill"));
  };
}

/** The button is made anew as its menu comes, or does not: the focus that it had goes with it. */
function useFocusBack(button: RefObject<HTMLElement | null>, woken: boolean) {
  const before = useRef(woken);
  useLayoutEffect(() => {
    if (before.current !== woken && document.activeElement === document.body)
      button.current?.focus({ preventScroll: true });
    before.current = woken;
  }, [button, woken]);
}

/** What a member can do about a card: report it, or block it, its creator or one of its tags. */
export function CardMenu({ character }: { character: CharacterCard }) {
  const t = useMessages("ui");
  const user = useUser();
  // A page holds dozens of cards: the menu itself is made for those whose button is pressed.
  const [woken, setWoken] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const leaves = useHeir(button);
  useFocusBack(button, woken);
  if (!user || user._id === character.creator._id) return null;
  const trigger = (
    <IconButton
      ref={button}
      small
      className="bill-more"
      label={t("moreAbout", { name: character.name })}
      aria-haspopup="menu"
      onClick={woken ? undefined : () => setWoken(true)}
    >
      <EllipsisVertical className="icon" />
    </IconButton>
  );
  if (!woken) return trigger;
  return (
    <Optional fallback={trigger} onLost={() => setWoken(false)}>
      <CardActions character={character} trigger={trigger} onLeave={leaves} />
    </Optional>
  );
}
