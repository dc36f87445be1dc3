import { Check, ChevronDown } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { type ReactNode, useRef } from "react";

interface MenuProps {
  /** One button; it opens the menu. */
  trigger: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom";
  children: ReactNode;
}

/** A menu of actions. Not modal, so that nothing injects a scroll lock into the page's styles. */
export function Menu({ trigger, align = "end", side = "bottom", children }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  /** A dialog that an item has opened takes the focus; once it closes, the focus comes back to the button. */
  const afterDialog = () => {
    const dialog = document.querySelector("dialog[open]");
    if (!dialog || dialog.contains(button.current)) return;
    dialog.addEventListener("close", () => button.current?.focus({ preventScroll: true }), { once: true });
  };
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild ref={button}>
        {trigger}
      </DropdownMenu.Trigger>
      {/* No portal: the menu stays in its landmark, beside the button that opened it. */}
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
