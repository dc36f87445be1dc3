import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Persona } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { makeUser } from "@/test/make";
import { type Call, renderPage, serve } from "@/test/page";
import Personas from "./Personas";

const wren: Persona = { id: "1", name: "Wren", description: "", gender: "", default: true };
const sel: Persona = { id: "2", name: "Sel", description: "A sailor", gender: "other", default: false };
const toasts = () => useToasts.getState().toasts.map((toast) => toast.text);
const sent = (call: Call | undefined) => (call?.body as { personas: Persona[] } | undefined)?.personas;
/** A server that keeps what it is sent, and begins with these. */
function keeper(...kept: Persona[]) {
  let personas = kept;
  return serve({
    "GET user/wren": () => makeUser({ personas }),
    "POST personas/update": (call) => {
      personas = sent(call) ?? [];
      return { success: true, personas };
    },
  });
}
const lists = (calls: Call[]) => calls.filter(({ method }) => method === "POST").map(sent);

beforeEach(() => useRoot.getState().enter(makeUser({ personas: [wren, sel] })));
afterEach(() => vi.unstubAllGlobals());

describe("personas", () => {
  it("are nothing to a visitor", () => {
    useRoot.getState().leave();
    const { container } = renderPage(<Personas />, "/personas");
    expect(container.textContent).toBe("");
  });

  it("are made in the dialog, which needs a name", async () => {
    const calls = keeper(wren, sel);
    renderPage(<Personas />, "/personas");
    expect(screen.getByText("No description")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Create New Persona" }));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText("A persona needs a name.")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("Name"), "Io");
    await userEvent.selectOptions(screen.getByLabelText("Gender"), "trans");
    await userEvent.click(screen.getByRole("checkbox", { name: "Set as default" }));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(toasts()).toEqual(["New persona created successfully!"]));
    expect(lists(calls)[0]?.map(({ name, default: chosen }) => [name, chosen])).toEqual([
      ["Wren", false],
      ["Sel", false],
      ["Io", true],
    ]);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("change their default at once, and back where the server refuses", async () => {
    let answer: (response: Response) => void = () => {};
    vi.stubGlobal(
      "fetch",
      () =>
        new Promise<Response>((resolve) => {
          answer = resolve;
        }),
    );
    renderPage(<Personas />, "/personas");
    const switchOf = (name: string) => screen.getByRole("switch", { name: `${name} is the default persona` });
    await userEvent.click(switchOf("Sel"));
    expect(switchOf("Sel").getAttribute("aria-checked")).toBe("true");
    expect(switchOf("Wren").getAttribute("aria-checked")).toBe("false");
    act(() => answer(new Response("{}", { status: 500 })));
    await waitFor(() => expect(toasts()).toEqual(["Failed to update default persona. Please try again."]));
    expect(switchOf("Wren").getAttribute("aria-checked")).toBe("true");
  });

  it("made elsewhere meanwhile are kept", async () => {
    const io: Persona = { ...sel, id: "3", name: "Io" };
    keeper(wren, sel, io);
    renderPage(<Personas />, "/personas");
    await userEvent.click(screen.getByRole("button", { name: /^Sel/ }));
    await userEvent.type(screen.getByLabelText("Name"), "kie");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(toasts()).toEqual(["Persona updated successfully!"]));
    expect(screen.getByText("Selkie")).toBeTruthy();
    expect(screen.getByText("Io")).toBeTruthy();
  });

  it("are deleted with a way back", async () => {
    const calls = keeper(wren, sel);
    renderPage(<Personas />, "/personas");
    await userEvent.click(screen.getByRole("button", { name: /^Sel/ }));
    await userEvent.click(screen.getByRole("button", { name: "Delete persona" }));
    await waitFor(() => expect(toasts()).toEqual(["Persona deleted."]));
    expect(screen.queryByText("Sel")).toBeNull();
    act(() => useToasts.getState().toasts[0]?.action?.run());
    expect(await screen.findByText("Sel")).toBeTruthy();
    expect(lists(calls).map((list) => list?.map(({ name }) => name))).toEqual([["Wren"], ["Wren", "Sel"]]);
  });
});
