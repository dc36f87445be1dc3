import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TOKEN_KEY } from "@/shared/api/token";
import { useRoot } from "@/shared/store";
import { useToasts } from "@/shared/toast";
import { makeUser } from "@/test/make";
import { renderPage, serve } from "@/test/page";
import CreateImage from "./CreateImage";

const OPTIONS = {
  success: true,
  engine: "playbill",
  cost: 20,
  options: [
    {
      field: "pose",
      choices: [
        { value: "At a window", label: "At a window", nsfw: false },
        { value: "Pose 11", label: "Pose 11", nsfw: true },
      ],
    },
  ],
};
const coins = { available: 380, reserved: 0 } as never;

beforeEach(() => {
  localStorage.setItem(TOKEN_KEY, "a.b.c");
  useRoot.getState().enter(makeUser({ subscriptionStatus: "active", coins }));
});
afterEach(() => vi.unstubAllGlobals());

describe("ordering a picture", () => {
  it("offers everyday poses, says what one costs, and sends what was chosen", async () => {
    const calls = serve({
      "GET images/options": () => OPTIONS,
      "POST images/create": () => ({ success: true, image: {}, message: "" }),
    });
    renderPage(<CreateImage />, "/image/create");
    expect((await screen.findByText("20")).parentElement?.textContent).toBe("20 coins");
    expect(screen.getByText("You have 380 coins.")).toBeTruthy();
    const pose = screen.getByLabelText("Pose");
    expect(screen.queryByRole("option", { name: "Pose 11" })).toBeNull();
    await userEvent.selectOptions(pose, "At a window");
    await userEvent.click(screen.getByRole("button", { name: "30s" }));
    expect(screen.getByText(/30s · European/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Create Image" }));
    expect(calls.find((call) => call.method === "POST")?.body).toMatchObject({
      pose: "At a window",
      age: "30s",
      hairColor: "Brunette",
    });
  }, 15_000);

  it("says what the server refused, where it stands", async () => {
    const refusal = {
      success: false,
      msg: "That cannot be drawn.",
      code: "moderated",
      fields: { prompt: "Everyone drawn is an adult." },
    };
    serve({
      "GET images/options": () => OPTIONS,
      "POST images/create": () => new Response(JSON.stringify(refusal), { status: 422 }),
    });
    renderPage(<CreateImage />, "/image/create");
    await userEvent.type(screen.getByLabelText("Prompt"), "Somebody");
    await userEvent.click(screen.getByRole("button", { name: "Create Image" }));
    expect(await screen.findByText("Everyone drawn is an adult.")).toBeTruthy();
    expect(useToasts.getState().toasts.map((toast) => toast.text)).toEqual(["That cannot be drawn."]);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Create Image" }).disabled).toBe(false);
  });

  it("is the same order until an answer says that nothing was done", async () => {
    const refusal = (status: number, code: string) =>
      new Response(JSON.stringify({ success: false, msg: code, code }), { status });
    const answers = [
      () => {
        throw new TypeError("cut off");
      },
      () => refusal(409, "in_progress"),
      () => refusal(503, "unavailable"),
      () => refusal(402, "coins_short"),
      () => ({ success: true, image: {}, message: "" }),
    ];
    let tries = 0;
    const calls = serve({
      "GET images/options": () => OPTIONS,
      "POST images/create": () => answers[tries++]?.(),
    });
    renderPage(<CreateImage />, "/image/create");
    const create = screen.getByRole("button", { name: "Create Image" });
    for (const many of [1, 2, 3, 4, 5]) {
      await userEvent.click(create);
      await waitFor(() => expect(tries).toBe(many));
      if (many < 5) await waitFor(() => expect(create).toHaveProperty("disabled", false));
    }
    const keys = calls
      .filter(({ method }) => method === "POST")
      .map(({ headers }) => headers.get("idempotency-key"));
    expect(keys).toEqual([keys[0], keys[0], keys[0], keys[0], keys[4]]);
    expect(keys[0]).toBeTruthy();
    expect(keys[4]).not.toBe(keys[0]);
  });

  it("offers the others where NSFW is on, and says that they stay private", async () => {
    useRoot.getState().setNsfw(true);
    serve({ "GET images/options": () => OPTIONS });
    renderPage(<CreateImage />, "/image/create");
    await screen.findByRole("option", { name: "Pose 11" });
    await userEvent.selectOptions(screen.getByLabelText("Pose"), "Pose 11");
    expect(screen.getByText(/keeps this picture private/)).toBeTruthy();
  });
});
