import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Report } from "@/shared/api/types";
import { useToasts } from "@/shared/toast";
import { renderPage, serve } from "@/test/page";
import Complaint from "./pages/Complaint";
import Policy from "./pages/Policy";
import { POLICIES } from "./policies";
import { anchorOf, piecesOf } from "./words";

const report: Report = {
  number: "TR-AHAF603AF5A60V84",
  kind: "complaint",
  subjectKind: "other",
  subject: "The price",
  reason: "other",
  text: "A figure was wrong.",
  state: "open",
  createdAt: "2026-11-21T12:00:00Z",
  dueAt: "2026-12-01T12:00:00Z",
  decision: null,
  reasons: null,
  decidedAt: null,
  appeal: null,
  appealedAt: null,
  appealReasons: null,
  concernsReader: false,
};
const filed = () => ({ success: true, msg: "", message: "", report });

afterEach(() => vi.unstubAllGlobals());

describe("the words of policies", () => {
  it("are split at their links", () => {
    expect(piecesOf("See the [DMCA Policy](/legal/dmca), or [write](/complaint)")).toEqual([
      { text: "See the " },
      { text: "DMCA Policy", to: "/legal/dmca" },
      { text: ", or " },
      { text: "write", to: "/complaint" },
    ]);
    expect(piecesOf("Plain (really).")).toEqual([{ text: "Plain (really)." }]);
  });

  it("have a place of their own for each heading, and lead only to what is there", () => {
    expect(anchorOf("12. Law and courts")).toBe("law-and-courts");
    const known = new Set(["/complaint", "/reports", ...POLICIES.map(({ slug }) => `/legal/${slug}`)]);
    for (const { sections } of POLICIES) {
      const anchors = sections.map(({ heading }) => anchorOf(heading));
      expect(new Set(anchors).size).toBe(anchors.length);
      const words = sections.flatMap(({ text = [], points = [], after = [] }) => [
        ...text,
        ...points,
        ...after,
      ]);
      for (const { to } of words.flatMap(piecesOf)) if (to) expect(known).toContain(to);
    }
  });

  it("state the facts that the operator is held to", () => {
    const words = JSON.stringify(POLICIES);
    for (const fact of [/within 24 hours/, /7 business days/, /1 to 3 days/, /10 to 14 days/]) {
      expect(words).toMatch(fact);
    }
    expect(words).toMatch(/last 6 months/);
    expect(words).toMatch(/retained for 6 years/);
    expect(words).toMatch(/Belgian law/);
  });
});

describe("a complaint", () => {
  it("says what is missing, is sent once, and leaves a receipt", async () => {
    const calls = serve({ "POST complaint": filed });
    renderPage(<Complaint />, "/complaint", "/complaint?about=The%20price");
    await userEvent.click(screen.getByRole("button", { name: "Send complaint" }));
    expect(await screen.findByText("Your name is needed.")).toBeTruthy();
    expect(screen.getByText("Invalid email format!")).toBeTruthy();
    expect(screen.getByText("At least 10 characters.")).toBeTruthy();
    expect(calls).toEqual([]);

    await userEvent.type(screen.getByLabelText("Your name"), "Ada Wren");
    await userEvent.type(screen.getByLabelText("E-Mail"), "ada@example.com");
    await userEvent.selectOptions(screen.getByLabelText("Reason"), "privacy");
    await userEvent.type(screen.getByLabelText("What happened?"), "A figure was wrong.");
    await userEvent.click(screen.getByRole("button", { name: "Send complaint" }));
    expect(await screen.findByText("TR-AHAF603AF5A60V84")).toBeTruthy();
    expect(screen.getByText("1 December 2026")).toBeTruthy();
    expect(document.activeElement?.textContent).toBe("We have received it");
    expect(calls.map((call) => call.body)).toEqual([
      {
        kind: "complaint",
        name: "Ada Wren",
        email: "ada@example.com",
        subject: "The price",
        reason: "privacy",
        text: "A figure was wrong.",
        sworn: false,
      },
    ]);
  }, 15_000);

  it("keeps what was written when it could not be sent", async () => {
    serve({
      "POST complaint": () =>
        new Response(
          JSON.stringify({ msg: "Too many.", code: "invalid", fields: { email: "Not an e-mail address." } }),
          { status: 400 },
        ),
    });
    renderPage(<Complaint />, "/complaint", "/complaint?about=x");
    fireEvent.change(screen.getByLabelText("Your name"), { target: { value: "Ada" } });
    fireEvent.change(screen.getByLabelText("E-Mail"), { target: { value: "a@b.cd" } });
    fireEvent.change(screen.getByLabelText("What happened?"), { target: { value: "Long enough." } });
    await userEvent.click(screen.getByRole("button", { name: "Send complaint" }));
    expect(await screen.findByText("Not an e-mail address.")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Your name").value).toBe("Ada");
    expect(useToasts.getState().toasts.map((toast) => toast.text)).toEqual(["Too many."]);
  });
});

describe("a complaint of which nobody knows whether it arrived", () => {
  it("is the same one when it is sent again", async () => {
    let busy = true;
    const calls = serve({
      "POST complaint": () =>
        busy ? new Response('{"code":"in_progress","msg":"Wait."}', { status: 409 }) : filed(),
    });
    renderPage(<Complaint />, "/complaint", "/complaint?about=x");
    fireEvent.change(screen.getByLabelText("Your name"), { target: { value: "Ada" } });
    fireEvent.change(screen.getByLabelText("E-Mail"), { target: { value: "a@b.cd" } });
    fireEvent.change(screen.getByLabelText("What happened?"), { target: { value: "Long enough." } });
    await userEvent.click(screen.getByRole("button", { name: "Send complaint" }));
    await waitFor(() => expect(useToasts.getState().toasts.map((toast) => toast.text)).toEqual(["Wait."]));
    busy = false;
    await userEvent.click(screen.getByRole("button", { name: "Send complaint" }));
    expect(await screen.findByText(report.number)).toBeTruthy();
    const [first, second] = calls.map(({ headers }) => headers.get("idempotency-key"));
    expect(first).toBeTruthy();
    expect(second).toBe(first);
  });
});

describe("the forms of removal and copyright", () => {
  it("take the picture of an intimate image with them", async () => {
    const calls = serve({ "POST complaint/intimate-image": filed });
    renderPage(<Policy />, "/legal/:policy", "/legal/content-removal");
    await userEvent.click(screen.getByRole("button", { name: "An intimate image of me" }));
    await userEvent.type(screen.getByLabelText("Your name"), "Ada");
    await userEvent.type(screen.getByLabelText("E-Mail"), "a@b.cd");
    await userEvent.type(screen.getByLabelText("What should we know?"), "I did not agree.");
    const file = new File(["png"], "me.png", { type: "image/png" });
    await userEvent.upload(screen.getByLabelText("The picture"), file);
    await userEvent.click(screen.getByRole("button", { name: "Ask for removal" }));
    await screen.findByTestId("receipt");
    const body = calls[0]?.body;
    expect(body instanceof FormData && body.get("image")).toBeInstanceOf(File);
  }, 15_000);

  it("keep what was written when it turns out to be another kind, but no oath", async () => {
    serve({});
    renderPage(<Policy />, "/legal/:policy", "/legal/dmca");
    const write = (label: string, value: string) =>
      fireEvent.change(screen.getByLabelText(label), { target: { value } });
    write("Your name", "Ada");
    write("E-Mail", "a@b.cd");
    write("The notice", "My poem, all of it.");
    await userEvent.click(screen.getByRole("checkbox"));
    await userEvent.click(screen.getByRole("button", { name: "Counter-notice" }));
    expect(screen.getByLabelText<HTMLInputElement>("Your name").value).toBe("Ada");
    expect(screen.getByLabelText<HTMLInputElement>("E-Mail").value).toBe("a@b.cd");
    expect(screen.getByDisplayValue("My poem, all of it.")).toBeTruthy();
    expect(screen.getByRole("checkbox").getAttribute("aria-checked")).toBe("false");
  });

  it("ask for the oath of a notice", async () => {
    const calls = serve({ "POST complaint": filed });
    renderPage(<Policy />, "/legal/:policy", "/legal/dmca");
    await userEvent.click(screen.getByRole("button", { name: "Send notice" }));
    expect(await screen.findByText("This must be confirmed under penalty of perjury.")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("Your name"), "Ada");
    await userEvent.type(screen.getByLabelText("E-Mail"), "a@b.cd");
    await userEvent.type(screen.getByLabelText("Where is your work used?"), "/character/1");
    await userEvent.type(screen.getByLabelText("The notice"), "My poem, all of it.");
    await userEvent.click(screen.getByRole("checkbox"));
    await userEvent.click(screen.getByRole("button", { name: "Send notice" }));
    await waitFor(() => expect(calls[0]?.body).toMatchObject({ kind: "dmca", sworn: true }));
  }, 15_000);
});
