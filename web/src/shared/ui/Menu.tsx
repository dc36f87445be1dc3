import { ChevronDown } from "lucide-react";
import {
  cloneElement,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useState,
} from "react";

type TriggerProps = React.ComponentProps<"button">;

export interface MenuProps {
  /** One button; it opens the menu. */
  trigger: ReactElement<TriggerProps>;
  align?: "start" | "end";
  side?: "top" | "bottom";
  /** Opens at once: the button that woke it has been pressed already. */
  defaultOpen?: boolean;
  /** Puts the menu at the end of the page's main part: where it opens, a row that scrolls would cut it off. */
  outside?: boolean;
  children: ReactNode;
}

type Radix = typeof import("./RadixMenu");
/** The code of menus, which comes when somebody reaches for the first of them. */
let radix: Radix | null = null;
let coming: Promise<Radix> | null = null;
export function loadMenus(): Promise<Radix> {
  coming ??= import("./RadixMenu").then((module) => {
    radix = module;
    return module;
  });
  return coming;
}

/** How a menu was asked for, before its code was there. */
type Asked = "not" | "by pointer" | "by key";

/** A menu of actions. */
export function Menu({ align = "end", side = "bottom", defaultOpen = false, trigger, ...props }: MenuProps) {
  const [ready, setReady] = useState(radix !== null);
  const [asked, setAsked] = useState<Asked>("not");
  const open = (how: Asked) => {
    setAsked(how);
    // Without an answer the button stays what it is: another press is another try.
    loadMenus().then(
      () => setReady(true),
      () => {
        coming = null;
      },
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once, when it has come.
  useEffect(() => {
    if (defaultOpen && !ready) open("by pointer");
  }, []);
  if (ready && radix) {
    const byKey = asked === "by key";
    return (
      <radix.OpenMenu
        {...props}
        trigger={trigger}
        align={align}
        side={side}
        defaultOpen={defaultOpen || asked !== "not"}
        byKey={byKey}
      />
    );
  }
  const reach = () => void loadMenus().catch(() => undefined);
  return cloneElement(trigger, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onPointerEnter: reach,
    onFocus: reach,
    // A press of Enter or Space arrives as a click without a count.
    onClick: (event: MouseEvent) => open(event.detail === 0 ? "by key" : "by pointer"),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === "ArrowDown") open("by key");
    },
  });
}

export interface MenuItemProps {
  onSelect: () => void;
  disabled?: boolean;
  children: ReactNode;
}

export function MenuItem(props: MenuItemProps) {
  return radix && <radix.Item {...props} />;
}

export interface MenuGroupProps {
  label: string;
  children: ReactNode;
}

/** Actions of one kind under their name. */
export function MenuGroup(props: MenuGroupProps) {
  return radix && <radix.Group {...props} />;
}

export interface SelectMenuProps<T extends string> {
  /** Shown before the choice: `Sort by`. */
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

function SelectChoices<T extends string>(props: Omit<SelectMenuProps<T>, "label">) {
  return radix && <radix.Choices {...props} />;
}

/** One of a few, in a menu: the sort order of a list. */
export function SelectMenu<T extends string>({ label, ...choice }: SelectMenuProps<T>) {
  return (
    <Menu
      trigger={
        <button type="button" className="select">
          {label} <b>{choice.options.find(({ value }) => value === choice.value)?.label}</b>
          <ChevronDown className="icon s" />
        </button>
      }
    >
      <SelectChoices {...choice} />
    </Menu>
  );
}
