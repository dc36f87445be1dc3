import { useInfiniteQuery } from "@tanstack/react-query";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeCard, makeUser } from "@/test/make";
import { renderPage, serve } from "@/test/page";
import { characterList } from "../catalog/lists";
import { useReportQuestion } from "../report";
import { useRoot } from "../store";
import { useToasts } from "../toast";
import { CharacterGrid } from "./CharacterGrid";
import { ReportHost } from "./ReportHost";

const vesper = makeCard({ tags: ["female", "oc"] });
const maren = makeCard({
  _id: "c2",
  name: "Maren Holt",
  creator: { _id: "u3", username: "salt", pfp: null },
});

function Page() {
  const list = useInfiniteQuery(characterList("characters/foryou"));
  return (
    <>
      <CharacterGrid list={list} more="button" minLoadingMs={0} failure={String} empty="Nobody" />
      <ReportHost />
    </>
  );
}

const open = async () => {
  await userEvent.click(await screen.findByRole("button", { name: "More about Vesper Lang" }));
  return within(await screen.findByRole("menu"));
};
const list = () => ({ characters: [vesper, maren], hasMore: false });

afterEach(() => {
  vi.unstubAllGlobals();
  useReportQuestion.setState({ subject: null });
});

describe("the menu of a card", () => {
  it("is for members, and not for whose card it is", async () => {
    serve({ "GET characters/foryou": list });
    const { unmount } = renderPage(<Page />, "/for-you");
    await screen.findByText("Maren Holt");
    expect(screen.queryByRole("button", { name: /^More about/ })).toBeNull();
    unmount();
    useRoot.getState().enter(makeUser({ _id: "u2", username: "velvetfox" }));
    renderPage(<Page />, "/for-you");
    await screen.findByRole("button", { name: "More about Maren Holt" });
    expect(screen.queryByRole("button", { name: "More about Vesper Lang" })).toBeNull();
  });

  it("blocks at once, hands the focus on, and takes it back on Undo", async () => {
    useRoot.getState().enter(makeUser());
    const blocks: { kind: string; target: string; label: string }[] = [];
    const calls = serve({
      "GET characters/foryou": list,
      "POST blocks": ({ body }) => {
        const { on, ...block } = body as { on: boolean; kind: string; target: string };
        blocks.length = 0;
        if (on) blocks.push({ ...block, label: "velvetfox" });
        return { success: true, blocks };
      },
    });
    renderPage(<Page />, "/for-you");
    await userEvent.click((await open()).getByRole("menuitem", { name: "Block velvetfox" }));
    await waitFor(() => expect(screen.queryByText("Vesper Lang")).toBeNull());
    expect(document.activeElement?.textContent).toContain("Maren Holt");
    await waitFor(() =>
      expect(useToasts.getState().toasts[0]?.text).toBe("Characters by velvetfox are blocked."),
    );
    expect(calls.find((call) => call.path === "blocks")?.body).toEqual({
      kind: "creator",
      target: "u2",
      on: true,
    });
    useToasts.getState().toasts[0]?.action?.run();
    expect(await screen.findByText("Vesper Lang")).toBeTruthy();
  });

  it("shows the card again where the block could not be saved", async () => {
    useRoot.getState().enter(makeUser());
    serve({ "GET characters/foryou": list, "POST blocks": () => new Response("{}", { status: 500 }) });
    renderPage(<Page />, "/for-you");
    await userEvent.click((await open()).getByRole("menuitem", { name: "OC" }));
    await waitFor(() =>
      expect(useToasts.getState().toasts[0]?.text).toBe(
        "Your block list could not be saved. Please try again.",
      ),
    );
    expect(screen.getByText("Vesper Lang")).toBeTruthy();
  });

  it("reports, says what is missing, and ends with a receipt", async () => {
    useRoot.getState().enter(makeUser());
    const calls = serve({
      "GET characters/foryou": list,
      "POST reports": () => ({
        success: true,
        report: { number: "TR-XSJ5CMQZ", dueAt: "2026-12-01T10:00:00Z" },
      }),
    });
    renderPage(<Page />, "/for-you");
    await userEvent.click((await open()).getByRole("menuitem", { name: "Report" }));
    const send = await screen.findByRole("button", { name: "Send report" });
    await userEvent.click(send);
    expect(await screen.findByText("Choose a reason.")).toBeTruthy();
    expect(screen.getByText("At least 10 characters.")).toBeTruthy();
    await userEvent.click(screen.getByRole("radio", { name: "Hate or harassment" }));
    await userEvent.type(screen.getByLabelText("Tell us more"), "In the second line.");
    await userEvent.click(send);
    expect(await screen.findByText("TR-XSJ5CMQZ")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Follow it" }).getAttribute("href")).toBe("/reports/TR-XSJ5CMQZ");
    expect(calls.find((call) => call.path === "reports")?.body).toEqual({
      subjectKind: "character",
      subjectId: "c1",
      reason: "hate",
      text: "In the second line.",
    });
  });
});
