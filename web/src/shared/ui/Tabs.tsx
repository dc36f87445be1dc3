import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";

export interface TabItem {
  value: string;
  label: ReactNode;
  content: ReactNode;
}

interface TabsProps {
  items: readonly TabItem[];
  /** What the row of tabs is for, for assistive technology. */
  label: string;
  value?: string;
  onChange?: (value: string) => void;
}

/** Text tabs with an amber footlight under the one that is on. Keeps its own state unless `value` is given. */
export function Tabs({ items, label, value, onChange }: TabsProps) {
  return (
    <Radix.Root value={value} defaultValue={items[0]?.value} onValueChange={onChange}>
      <Radix.List className="tabs" aria-label={label}>
        {items.map((item) => (
          <Radix.Trigger key={item.value} value={item.value} className="tab">
            {item.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {items.map((item) => (
        <Radix.Content key={item.value} value={item.value} className="tab-panel">
          {item.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
