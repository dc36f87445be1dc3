import { Check } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { type RefObject, useEffect, useRef } from "react";
import type { MenuGroupProps, MenuItemProps, MenuProps, SelectMenuProps } from "./Menu";

interface OpenMenuProps extends MenuProps {
  /** It was asked for by a key, which expects the first item to be stepped onto. */
  byKey: boolean;
}

/** A dialog that an item has opened takes the focus; once it closes, the focus comes back to the button. */
function backAfterDialog(button: RefObject<HTMLButtonElement | null>) {
  const dialog = document.querySelector("dialog[open]");
  if (!dialog || dialog.contains(button.current)) return;
  dialog.addEventListener("close", () => button.current?.focus({ preventScroll: true }), { once: true });
}

/** Not modal, so that nothing injects a scroll lock into the page's styles. */
export function OpenMenu({ trigger, align, side, defaultOpen, outside, byKey, children }: OpenMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (byKey) menu.current?.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
  }, [byKey]);
  const content = (
    <DropdownMenu.Content
      ref={menu}
      className="menu"
      align={align}
      side={side}
      sideOffset={8}
      collisionPadding={8}
      onCloseAutoFocus={() => backAfterDialog(button)}
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

export function Item({ onSelect, disabled, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item className="menu-item" onSelect={onSelect} disabled={disabled}>
      {children}
    </DropdownMenu.Item>
  );
}

export function Group({ label, children }: MenuGroupProps) {
  return (
    <DropdownMenu.Group>
      <DropdownMenu.Label className="menu-label">{label}</DropdownMenu.Label>
      {children}
    </DropdownMenu.Group>
  );
}

export function Choices<T extends string>({ value, options, onChange }: Omit<SelectMenuProps<T>, "label">) {
  return (
    <DropdownMenu.RadioGroup
      value={value}
      onValueChange={(chosen) => {
        const option = options.find((o) => o.value === chosen);
        if (option) onChange(option.value);
      }}
    >
      {options.map((option) => (
        <DropdownMenu.RadioItem key={option.value} value={option.value} className="menu-item">
          <span className="menu-check">
            <DropdownMenu.ItemIndicator>
              <Check className="icon s" />
            </DropdownMenu.ItemIndicator>
          </span>
          {option.label}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}
