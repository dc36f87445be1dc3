import { Check, ChevronDown } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { type ReactNode, useRef } from "react";

interface MenuProps {
  /** One button; it opens the menu. */
  trigger: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom";
  /** Opens at once: the button that woke it has been pressed already. */
  defaultOpen?: boolean;
  /** Puts the menu at the end of the page's main part: where it opens, a row that scrolls would cut it off. */
  outside?: boolean;
  children: ReactNode;
}

/** A menu of actions. Not modal, so that nothing injects a scroll lock into the page's styles. */
export function Menu({ trigger, align = "end", side = "bottom", defaultOpen, outside, children }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  /** A dialog that an item has opened takes the focus; once it closes, the focus comes back to the button. */
  const afterDialog = () => {
    const dialog = document.querySelector("dialog[open]");
    if (!dialog || dialog.contains(button.current)) return;
    dialog.addEventListener("close", () => button.current?.focus({ preventScroll: true }), { once: true });
  };
  const content = (
    <DropdownMenu.Content
      className="menu"
      align={align}
      side={side}
      sideOffset={8}
      collisionPadding={8}
      onCloseAutoFocus={afterDialog}
    >
      {children}
    </DropdownMenu.Content>
  );
  return (
    <DropdownMenu.Root modal={false} defaultOpen={defaultOpen}>
      <DropdownMenu.Trigger asChild ref={button}>
        {trigger}
      </DropdownMenu.Trigger>
      {/* Either way the menu stays in its landmark. */}
      {outside ? (
        <DropdownMenu.Portal container={document.getElementById("main")}>{content}</DropdownMenu.Portal>
      ) : (
        content
      )}
    </DropdownMenu.Root>
  );
}

interface MenuItemProps {
  onSelect: () => void;
  disabled?: boolean;
  children: ReactNode;
}

export function MenuItem({ onSelect, disabled, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item className="menu-item" onSelect={onSelect} disabled={disabled}>
      {children}
    </DropdownMenu.Item>
  );
}

/** Actions of one kind under their name. */
export function MenuGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <DropdownMenu.Group>
      <DropdownMenu.Label className="menu-label">{label}</DropdownMenu.Label>
      {children}
    </DropdownMenu.Group>
  );
}

interface SelectMenuProps<T extends string> {
  /** Shown before the choice: `Sort by`. */
  label: string;
  value: T;
  options: readonly T[];
  onChange: (value: T) => void;
}

/** One of a few, in a menu: the sort order of a list. */
export function SelectMenu<T extends string>({ label, value, options, onChange }: SelectMenuProps<T>) {
  return (
    <Menu
      trigger={
        <button type="button" className="select">
          {label} <b>{value}</b>
          <ChevronDown className="icon s" />
        </button>
      }
    >
      <DropdownMenu.RadioGroup
        value={value}
        onValueChange={(chosen) => {
          const option = options.find((o) => o === chosen);
          if (option) onChange(option);
        }}
      >
        {options.map((option) => (
          <DropdownMenu.RadioItem key={option} value={option} className="menu-item">
            <span className="menu-check">
              <DropdownMenu.ItemIndicator>
                <Check className="icon s" />
              </DropdownMenu.ItemIndicator>
            </span>
            {option}
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
    </Menu>
  );
}
