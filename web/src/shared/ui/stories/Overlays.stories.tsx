import type { Meta, StoryObj } from "@storybook/react-vite";
import { Flag, Trash } from "lucide-react";
import { useState } from "react";
import type { SortName } from "../../catalog/sorts";
import { toast } from "../../toast";
import { Button, Dialog, Menu, MenuItem, SortMenu, Tabs, ToastHost } from "..";

export default { title: "Overlays" } satisfies Meta;

function Asking() {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button look="line" onClick={() => setOpen(true)}>
        Clear chat
      </Button>
      <Dialog open={open} onClose={close} title="Clear this chat?">
        <p className="text-2">The greeting stays. You can take it back for a while.</p>
        <div className="row">
          <Button onClick={close}>Cancel</Button>
          <Button look="rouge" onClick={close}>
            Clear
          </Button>
        </div>
      </Dialog>
    </>
  );
}
export const Dialogs: StoryObj = { render: () => <Asking /> };

function Choosing() {
  const [sort, setSort] = useState<SortName>("Popular");
  return (
    <div className="chips">
      <Menu trigger={<Button look="line">More</Button>} align="start">
        <MenuItem onSelect={() => undefined}>
          <Flag className="icon s" />
          Report
        </MenuItem>
        <MenuItem onSelect={() => undefined} disabled>
          <Trash className="icon s" />
          Delete
        </MenuItem>
      </Menu>
      <SortMenu value={sort} onChange={setSort} />
    </div>
  );
}
export const Menus: StoryObj = { render: () => <Choosing /> };

export const Toasts: StoryObj = {
  render: () => (
    <div className="chips">
      <Button look="line" onClick={() => toast.success("Character created successfully!")}>
        Success
      </Button>
      <Button look="line" onClick={() => toast.error("Failed to load chat. Please try again.")}>
        Error
      </Button>
      <Button look="line" onClick={() => toast.undo("Picture deleted.", () => undefined)}>
        Undo
      </Button>
      <ToastHost />
    </div>
  ),
};

export const InTabs: StoryObj = {
  render: () => (
    <Tabs
      label="About the character"
      items={[
        { value: "reviews", label: "Reviews", content: <p>Good company.</p> },
        { value: "memories", label: "Memories", content: <p>The key hangs behind the mirror.</p> },
      ]}
    />
  ),
};
