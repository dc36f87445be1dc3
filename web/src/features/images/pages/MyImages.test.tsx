import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Image } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { makeCard, makeUser } from "@/test/make";
import { readAgain, renderPage, serve, watchNear } from "@/test/page";
import MyImages from "./MyImages";

const picture = (changes: Partial<Image> = {}): Image => ({
  _id: "i1",
  imageUrl: "/media/a/full.webp",
  thumbUrl: "/media/a/card.webp",
  label: "Rain",
  public: false,
  state: "completed",
  reason: null,
  width: 832,
  height: 1216,
  prompt: "A detective under a streetlamp.",
  createdAt: "2026-11-02T10:00:00Z",
  cost: 20,
  progress: 1,
  standing: "passed",
  ...changes,
});
const toasts = () => useToasts.getState().toasts;

/** A gallery that keeps what is done to it. */
function hang(...images: Image[]) {
  let gone: Image | undefined;
  const change = (id: string, changes: Partial<Image>) => {
    const at = images.findIndex((image) => image._id === id);
    images[at] = { ...picture(), ...images[at], ...changes };
    return { success: true, image: images[at] };
  };
  return serve({
    "GET images": () => ({
      success: true,
      images: images.filter((image) => image.state !== "canceled"),
      total: images.length,
      hasNextPage: false,
    }),
    "PUT images/i1": ({ body }) => change("i1", body as Partial<Image>),
    "DELETE images/i1": () => {
      gone = images.splice(0, 1)[0];
      return { success: true, erasedAt: "2026-11-03T10:00:00Z" };
    },
    "POST images/i1/restore": () => {
      if (gone) images.unshift(gone);
      return { success: true, image: gone };
    },
    "POST images/i1/cancel": () => change("i1", { state: "canceled" }),
    "GET characters/tag/me": () => ({ success: true, characters: [makeCard()], hasMore: false }),
    "POST images/i1/portrait": () => ({ success: true, msg: "", message: "" }),
    "GET user/wren": () => makeUser(),
  });
}

beforeEach(() => useRoot.getState().enter(makeUser()));
afterEach(() => vi.unstubAllGlobals());

describe("the gallery", () => {
  it("tells how far a picture is, why another failed, and what became of their coins", async () => {
    hang(
      picture({ _id: "i2", imageUrl: null, state: "running", progress: 0.42, label: "Tide" }),
      picture({ _id: "i3", imageUrl: null, state: "failed", reason: "moderated", label: "Storm" }),
    );
    renderPage(<MyImages />, "/my-images");
    expect(await screen.findByText("42%")).toBeTruthy();
    expect(screen.getByText("It went against the house rules.")).toBeTruthy();
    expect(screen.getByText("Its coins are back.")).toBeTruthy();
  });

  it("goes on by scrolling where a look at it failed", async () => {
    const comeNear = watchNear();
    let up = true;
    serve({
      "GET images": ({ query }) =>
        !up
          ? new Response("{}", { status: 500 })
          : query.get("page") === "1"
            ? { success: true, images: [picture()], total: 2, hasNextPage: true }
            : {
                success: true,
                images: [picture({ _id: "i2", label: "Tide" })],
                total: 2,
                hasNextPage: false,
              },
    });
    const { client } = renderPage(<MyImages />, "/my-images");
    await screen.findByRole("button", { name: "Enlarge Rain" });
    up = false;
    await readAgain(client);
    up = true;
    comeNear();
    expect(await screen.findByRole("button", { name: "Enlarge Tide" })).toBeTruthy();
  });

  it("lets one that waits be canceled", async () => {
    const calls = hang(picture({ imageUrl: null, state: "queued" }));
    renderPage(<MyImages />, "/my-images");
    await userEvent.click(await screen.findByRole("button", { name: "Cancel Rain" }));
    expect(await screen.findByText("It's a bit empty here")).toBeTruthy();
    expect(toasts().map((toast) => toast.text)).toEqual(["Canceled. Its coins come back."]);
    expect(calls.some((call) => call.path === "images/i1/cancel")).toBe(true);
  });

  it("is leafed through, by buttons and by arrow keys", async () => {
    hang(
      picture(),
      picture({ _id: "i2", imageUrl: null, state: "running", label: "Tide" }),
      picture({ _id: "i3", label: "Storm" }),
    );
    renderPage(<MyImages />, "/my-images");
    await userEvent.click(await screen.findByRole("button", { name: "Enlarge Rain" }));
    expect(screen.getByText("1 of 2")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Next picture" }));
    expect(screen.getByRole("img", { name: "Storm" })).toBeTruthy();
    await userEvent.keyboard("{ArrowRight}");
    expect(screen.getByText("2 of 2")).toBeTruthy();
    await userEvent.keyboard("{ArrowLeft}");
    expect(screen.getByRole("img", { name: "Rain" })).toBeTruthy();
  });

  it("changes label and badge from the enlarged view", async () => {
    const calls = hang(picture());
    renderPage(<MyImages />, "/my-images");
    await userEvent.click(await screen.findByRole("button", { name: "Enlarge Rain" }));
    await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Edit" }));
    await userEvent.clear(screen.getByLabelText("Label"));
    await userEvent.type(screen.getByLabelText("Label"), "Night rain");
    await userEvent.click(screen.getByRole("switch", { name: /^Public/ }));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByRole("heading", { name: "Night rain" })).toBeTruthy();
    expect(screen.getByText("Public")).toBeTruthy();
    expect(calls.find((call) => call.method === "PUT")?.body).toEqual({ label: "Night rain", public: true });
  });

  it("deletes from the menu, and brings back", async () => {
    hang(picture());
    renderPage(<MyImages />, "/my-images");
    await userEvent.click(await screen.findByRole("button", { name: "What to do with Rain" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Delete" }));
    expect(await screen.findByText("It's a bit empty here")).toBeTruthy();
    expect(toasts().map((toast) => toast.text)).toEqual(["Picture deleted."]);
    act(() => toasts()[0]?.action?.run());
    expect(await screen.findByRole("button", { name: "Enlarge Rain" })).toBeTruthy();
  });

  it("gives a picture to a character", async () => {
    const calls = hang(picture());
    renderPage(<MyImages />, "/my-images");
    await userEvent.click(await screen.findByRole("button", { name: "What to do with Rain" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: "Use as a portrait" }));
    await userEvent.click(await screen.findByRole("button", { name: "Vesper Lang" }));
    await waitFor(() => expect(toasts().map((toast) => toast.text)).toEqual(["Vesper Lang wears it now."]));
    expect(calls.find((call) => call.path === "images/i1/portrait")?.body).toEqual({ characterId: "c1" });
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});
