import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { CharacterPage } from "@/shared/api/types";
import { useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { makeCard, makeUser } from "@/test/make";
import { readAgain, renderPage, serve } from "@/test/page";
import { pageFromCard, reacted } from "../api";
import Profile from "./Profile";

const PATH = "/character/:id";
const page = (changes: Partial<CharacterPage["character"]> = {}): CharacterPage => {
  const base = pageFromCard(makeCard());
  return {
    ...base,
    character: { ...base.character, likes: 9, reviewsCount: 2, averageRating: 4.5, ...changes },
  };
};
const toasts = () => useToasts.getState().toasts.map((toast) => toast.text);

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a character's page for a visitor", () => {
  it("shows who it is and what others made of it", async () => {
    serve({ "GET character/c1": () => page() });
    renderPage(<Profile />, PATH, "/character/c1");
    expect(await screen.findByRole("heading", { level: 1, name: "Vesper Lang" })).toBeTruthy();
    expect(screen.getByText("33 years old")).toBeTruthy();
    expect(screen.getByText("Published 14 March 2026")).toBeTruthy();
    expect(screen.getAllByText("4.5").length).toBeGreaterThan(0);
  });

  it("says N/A where nobody has reviewed", async () => {
    serve({ "GET character/c1": () => page({ reviewsCount: 0, averageRating: null }) });
    renderPage(<Profile />, PATH, "/character/c1");
    expect((await screen.findAllByText("N/A")).length).toBeGreaterThan(0);
  });

  it("asks to log in for following, reviewing and chatting, and sends nothing", async () => {
    const calls = serve({ "GET character/c1": () => page() });
    renderPage(<Profile />, PATH, "/character/c1");
    await userEvent.click(await screen.findByRole("button", { name: "Follow" }));
    await userEvent.type(await screen.findByLabelText("Your review"), "Quick and dry.");
    await userEvent.click(screen.getByRole("button", { name: "Post review" }));
    await userEvent.click(screen.getByRole("link", { name: "Chat" }));
    expect(toasts()).toEqual(["Login to follow 😗", "Login to leave a review!", "Login to chat 😛"]);
    expect(screen.getByTestId("elsewhere").textContent).toBe('/login {"redirectPath":"/character/c1/chat"}');
    expect(calls.filter((call) => call.method === "POST")).toEqual([]);
  });

  it("keeps a locked character behind the curtain", async () => {
    serve({ "GET character/c1": () => page({ nsfw: true, locked: true, description: "", imageUrl: null }) });
    renderPage(<Profile />, PATH, "/character/c1");
    expect(await screen.findByText("XXX")).toBeTruthy();
    expect(screen.queryByText("Vesper Lang")).toBeNull();
  });

  it("says that a character could not be loaded, and that one is not there", async () => {
    serve({ "GET character/c1": () => new Response("{}", { status: 500 }) });
    const { unmount } = renderPage(<Profile />, PATH, "/character/c1");
    expect(await screen.findByText("Failed to load character data.")).toBeTruthy();
    unmount();
    serve({});
    renderPage(<Profile />, PATH, "/character/gone");
    expect(await screen.findByText("Nobody by that name")).toBeTruthy();
  });
});

describe("a character's page for a member", () => {
  it("stays, with the review that is being written, where reading it again fails", async () => {
    useRoot.getState().enter(makeUser());
    let up = true;
    const calls = serve({
      "GET character/c1": () => (up ? page() : new Response("{}", { status: 500 })),
    });
    const { client } = renderPage(<Profile />, PATH, "/character/c1");
    await userEvent.type(await screen.findByLabelText("Your review"), "Quick and");
    up = false;
    await readAgain(client);
    expect(calls.filter(({ path }) => path === "character/c1")).toHaveLength(2);
    expect(screen.getByLabelText<HTMLTextAreaElement>("Your review").value).toBe("Quick and");
    expect(screen.queryByText("Failed to load character data.")).toBeNull();
  });

  it("is read whole after a like that was quicker than it", async () => {
    useRoot.getState().enter(makeUser());
    let asked = 0;
    serve({
      "POST character/c1/react": () => ({ success: true, likes: 10, dislikes: 3, userReaction: "like" }),
      "GET character/c1": () => {
        asked += 1;
        // The first answer is still under way when the like is pressed.
        return asked > 1 ? { ...page({ likes: 10 }), userReaction: "like" } : new Promise(() => {});
      },
    });
    renderPage(<Profile />, PATH, "/character/c1", { character: makeCard({ likes: 9 }) });
    await userEvent.click(screen.getByRole("button", { name: "Like, 9" }));
    expect(await screen.findByRole("button", { name: "Like, 10", pressed: true })).toBeTruthy();
    expect(screen.getByLabelText("Your review")).toBeTruthy();
  });

  it("shows the counts the server gives after a like, and clears it the second time", async () => {
    useRoot.getState().enter(makeUser());
    let liked = false;
    serve({
      "GET character/c1": () => page(),
      "POST character/c1/react": ({ body }) => {
        expect(body).toEqual({ reactionType: "like" });
        liked = !liked;
        return { success: true, likes: liked ? 10 : 9, dislikes: 3, userReaction: liked ? "like" : null };
      },
    });
    renderPage(<Profile />, PATH, "/character/c1");
    await userEvent.click(await screen.findByRole("button", { name: "Like, 9" }));
    const on = await screen.findByRole("button", { name: "Like, 10", pressed: true });
    await userEvent.click(on);
    expect(await screen.findByRole("button", { name: "Like, 9", pressed: false })).toBeTruthy();
  });

  it("sends a review with its stars and shows it first", async () => {
    const me = makeUser();
    useRoot.getState().enter(me);
    const reviews: CharacterPage["character"]["reviews"] = [];
    const calls = serve({
      "GET character/c1": () => page({ reviews: [...reviews] }),
      "POST character/c1/review": () => {
        const review = {
          _id: "r1",
          user: { _id: me._id, username: me.username, avatar: null },
          rating: 4,
          comment: "Quick and dry.",
          createdAt: new Date().toISOString(),
        };
        reviews.unshift(review);
        return { success: true, review };
      },
    });
    renderPage(<Profile />, PATH, "/character/c1");
    await userEvent.type(await screen.findByLabelText("Your review"), "  Quick and dry. ");
    await userEvent.click(screen.getByRole("radio", { name: "4 stars" }));
    await userEvent.click(screen.getByRole("button", { name: "Post review" }));
    expect((await screen.findByText("Quick and dry.")).closest("article")?.textContent).toContain("wren");
    expect(calls.find((call) => call.method === "POST")?.body).toEqual({
      comment: "Quick and dry.",
      rating: 4,
    });
  });

  it("takes a review on a further page away at once, and puts it back where that failed", async () => {
    const me = makeUser();
    useRoot.getState().enter(me);
    vi.spyOn(console, "error").mockImplementation(() => {});
    const review = (_id: string, username: string) => ({
      _id,
      user: { _id: username === me.username ? me._id : username, username, avatar: null },
      rating: 4,
      comment: `By ${username}.`,
      createdAt: "2026-11-02T10:00:00Z",
    });
    let refuse = () => {};
    serve({
      "GET character/c1": () => page({ reviews: [review("r1", "sel")] }),
      "GET character/c1/reviews": () => ({
        reviews: [review("r2", me.username)],
        currentPage: 2,
        totalPages: 2,
      }),
      "DELETE character/c1/review": () =>
        new Promise<Response>((resolve) => {
          refuse = () => resolve(new Response("{}", { status: 500 }));
        }),
    });
    renderPage(<Profile />, PATH, "/character/c1");
    await userEvent.click(await screen.findByRole("button", { name: "Load More" }));
    await userEvent.click(await screen.findByRole("button", { name: "Delete your review" }));
    expect(screen.queryByText("By wren.")).toBeNull();
    refuse();
    expect(await screen.findByText("By wren.")).toBeTruthy();
    expect(toasts()).toEqual(["Your review could not be deleted. Please try again."]);
  });

  it("offers Edit to its creator, and no review form", async () => {
    useRoot.getState().enter(makeUser({ _id: "u2", username: "velvetfox" }));
    serve({ "GET character/c1": () => page() });
    renderPage(<Profile />, PATH, "/character/c1");
    const edit = await screen.findByRole("link", { name: "Edit" });
    expect(edit.getAttribute("href")).toBe("/character/edit?id=c1");
    expect(screen.queryByLabelText("Your review")).toBeNull();
  });

  it("hands out the card only where its creator lets others have it", async () => {
    useRoot.getState().enter(makeUser());
    URL.createObjectURL = () => "blob:card";
    const kept: string[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
      kept.push(this.download);
    });
    serve({ "GET character/c1": () => page() });
    const { unmount } = renderPage(<Profile />, PATH, "/character/c1");
    await screen.findByRole("button", { name: "Follow" });
    expect(screen.queryByRole("button", { name: "Export" })).toBeNull();
    unmount();

    const calls = serve({
      "GET character/c1": () => page({ exportable: true }),
      "GET cards/c1/export": () =>
        new Response("card", { headers: { "content-disposition": 'attachment; filename="vesper.charx"' } }),
    });
    renderPage(<Profile />, PATH, "/character/c1");
    await userEvent.click(await screen.findByRole("button", { name: "Export" }));
    await userEvent.click(await screen.findByRole("menuitem", { name: /^CHARX/ }));
    await vi.waitFor(() => expect(kept).toEqual(["vesper.charx"]));
    expect(calls.at(-1)?.query.get("format")).toBe("charx");
  });

  it("tells its creator why it waits", async () => {
    useRoot.getState().enter(makeUser({ _id: "u2", username: "velvetfox" }));
    serve({ "GET character/c1": () => page({ state: "pending", heldBecause: "A real person's name." }) });
    renderPage(<Profile />, PATH, "/character/c1");
    expect(await screen.findByText(/A real person's name\./)).toBeTruthy();
  });
});

describe("a reaction", () => {
  const before = page({ likes: 9, dislikes: 3 });
  const counts = ({ userReaction, character }: CharacterPage) => [
    userReaction,
    character.likes,
    character.dislikes,
  ];

  it("counts at once, moves to the other side, and clears when it is given again", () => {
    const liked = reacted(before, "like");
    expect(counts(liked)).toEqual(["like", 10, 3]);
    expect(counts(reacted(liked, "dislike"))).toEqual(["dislike", 9, 4]);
    expect(counts(reacted(liked, "like"))).toEqual([null, 9, 3]);
  });
});
