import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { HeldCharacter, WaitingImage } from "@/shared/api/types";
import { renderPage, serve } from "@/test/page";
import Moderation from "./Moderation";

const held: HeldCharacter = {
  _id: "c1",
  name: "Vesper Lang",
  creator: { _id: "u2", username: "velvetfox", pfp: null },
  rule: "real_person",
  because: "The name is that of a real person.",
  since: "2026-11-02T10:00:00Z",
  texts: [{ field: "firstMessage", text: "She looks up." }],
  digest: "ab12",
  imageUrl: null,
  nsfw: false,
  public: true,
};
const picture: WaitingImage = {
  asset: "a1",
  imageUrl: "/media/a1/full.webp?exp=1&sig=x",
  ownerId: "u2",
  ownerName: "ana",
  origin: "upload",
  since: "2026-11-02T10:00:00Z",
  width: 600,
  height: 800,
};

afterEach(() => vi.unstubAllGlobals());

describe("what waits for a look", () => {
  it("is shown whole, and approved at once", async () => {
    const queue = [held];
    const calls = serve({
      "GET admin/held": () => ({
        success: true,
        characters: [...queue],
        total: queue.length,
        hasMore: false,
      }),
      "POST admin/held/c1": () => {
        queue.length = 0;
        return { success: true, msg: "The character is approved.", message: "" };
      },
    });
    renderPage(<Moderation />, "/admin");
    expect(await screen.findByText("She looks up.")).toBeTruthy();
    expect(screen.getByText("real_person")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Approve Vesper Lang" }));
    expect(await screen.findByText("Nobody waits")).toBeTruthy();
    expect(calls.find((call) => call.method === "POST")?.body).toEqual({
      decision: "approve",
      reasons: "",
      digest: "ab12",
    });
  });

  it("is fetched whole before anybody decides about it", async () => {
    const cut = { ...held, digest: null };
    const texts = [{ field: "firstMessage", text: "She looks up, and the story goes on." }];
    const calls = serve({
      "GET admin/held": () => ({ success: true, characters: [cut], total: 1, hasMore: false }),
      "GET admin/held/c1": () => ({ success: true, character: { ...held, texts } }),
      "POST admin/held/c1": () => ({ success: true, msg: "The character is approved.", message: "" }),
    });
    renderPage(<Moderation />, "/admin");
    const summary = await screen.findByText(/to be read before/);
    const details = summary.closest("details") as HTMLDetailsElement;
    details.open = true;
    fireEvent(details, new Event("toggle"));
    expect(await screen.findByText("She looks up, and the story goes on.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Approve Vesper Lang" }));
    await waitFor(() =>
      expect(calls.find((call) => call.method === "POST")?.body).toMatchObject({ digest: "ab12" }),
    );
  });

  it("is refused with reasons only", async () => {
    const calls = serve({
      "GET admin/images": () => ({ success: true, images: [picture], total: 1, hasMore: false }),
      "POST admin/images/a1": () => ({ success: true, msg: "The picture is taken away.", message: "" }),
    });
    renderPage(<Moderation />, "/admin/images");
    await userEvent.click(await screen.findByRole("button", { name: "Refuse this picture" }));
    const dialog = within(screen.getByRole("dialog"));
    expect(dialog.getByRole<HTMLButtonElement>("button", { name: "Refuse" }).disabled).toBe(true);
    await userEvent.type(dialog.getByLabelText("Reasons"), "A real person's face.");
    await userEvent.click(dialog.getByRole("button", { name: "Refuse" }));
    expect(calls.find((call) => call.method === "POST")?.body).toEqual({
      decision: "refuse",
      reasons: "A real person's face.",
    });
  });

  it("says what the server says to who took no second step", async () => {
    serve({
      "GET admin/held": () =>
        new Response(JSON.stringify({ msg: "This needs two-step login.", code: "two_step_required" }), {
          status: 403,
        }),
    });
    renderPage(<Moderation />, "/admin");
    expect(await screen.findByText("This needs two-step login.")).toBeTruthy();
  });
});
