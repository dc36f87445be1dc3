import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { Button } from "./Button";
import { Dialog } from "./Dialog";

/** A section whose button opens a dialog; what is confirmed there takes the button away. */
function Section() {
  const [open, setOpen] = useState(false);
  const [gone, setGone] = useState(false);
  return (
    <section aria-label="Danger" tabIndex={-1}>
      {!gone && <Button onClick={() => setOpen(true)}>Remove</Button>}
      <Dialog open={open} onClose={() => setOpen(false)} title="Sure?">
        <Button onClick={() => setOpen(false)}>Keep</Button>
        <Button
          onClick={() => {
            setGone(true);
            setOpen(false);
          }}
        >
          Confirm
        </Button>
      </Dialog>
    </section>
  );
}

const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

describe("the focus", () => {
  it("comes back to the button that opened a dialog", async () => {
    render(<Section />);
    await press("Remove");
    await press("Keep");
    expect(document.activeElement).toBe(screen.getByRole("button", { name: "Remove" }));
  });

  it("goes to what stands around the button when that is gone", async () => {
    render(<Section />);
    await press("Remove");
    await press("Confirm");
    expect(document.activeElement).toBe(screen.getByRole("region", { name: "Danger" }));
  });

  it("stays on a button that is busy, which does nothing meanwhile", async () => {
    const sent = vi.fn((event: { preventDefault: () => void }) => event.preventDefault());
    const pressed = vi.fn();
    const form = (busy: boolean) => (
      <form onSubmit={sent}>
        <input aria-label="Name" />
        <Button type="submit" busy={busy} onClick={pressed}>
          Send
        </Button>
      </form>
    );
    const { rerender } = render(form(false));
    await press("Send");
    expect([pressed, sent].map((calls) => calls.mock.calls.length)).toEqual([1, 1]);
    rerender(form(true));
    await press("Send");
    const button = screen.getByRole("button", { name: "Send" });
    expect(document.activeElement).toBe(button);
    expect(button.getAttribute("aria-busy")).toBe("true");
    await userEvent.type(screen.getByLabelText("Name"), "wren{Enter}");
    expect([pressed, sent].map((calls) => calls.mock.calls.length)).toEqual([1, 1]);
  });
});
