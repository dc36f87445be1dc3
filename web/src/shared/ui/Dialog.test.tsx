import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { Dialog } from "./Dialog";

function open() {
  const onClose = vi.fn();
  render(
    <Dialog open onClose={onClose} title="Your persona">
      <input aria-label="Name" />
    </Dialog>,
  );
  return { onClose, veil: screen.getByRole("dialog"), field: screen.getByLabelText("Name") };
}

/** Presses here, lets go there. */
const drag = (from: Element, to: Element) =>
  userEvent.pointer([{ keys: "[MouseLeft>]", target: from }, { target: to }, { keys: "[/MouseLeft]" }]);

it("closes by a press beside it", async () => {
  const { onClose, veil } = open();
  await userEvent.click(veil);
  expect(onClose).toHaveBeenCalledOnce();
});

it("stays, with what was typed, when words are selected beyond its edge", async () => {
  const { onClose, veil, field } = open();
  await userEvent.type(field, "Wren");
  await drag(field, veil);
  // A browser makes this a click of what holds both places.
  veil.click();
  expect(onClose).not.toHaveBeenCalled();
});
