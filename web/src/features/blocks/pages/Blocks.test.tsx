import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Block } from "@/shared/api/types";
import { useToasts } from "@/shared/toast";
import { renderPage, serve } from "@/test/page";
import Blocks from "./Blocks";

function house(blocks: Block[]) {
  return serve({
    "GET blocks": () => ({ blocks }),
    "POST blocks": ({ body }) => {
      const { on, ...block } = body as Omit<Block, "label"> & { on: boolean };
      const at = blocks.findIndex((one) => one.kind === block.kind && one.target === block.target);
      if (at >= 0) blocks.splice(at, 1);
      if (on) blocks.push({ ...block, label: block.target });
      return { blocks: [...blocks] };
    },
  });
}

afterEach(() => vi.unstubAllGlobals());

describe("the block list", () => {
  it("lets somebody out, and takes that back", async () => {
    house([{ kind: "creator", target: "u2", label: "velvetfox" }]);
    renderPage(<Blocks />, "/account/blocks");
    await userEvent.click(await screen.findByRole("button", { name: "Unblock velvetfox" }));
    expect(screen.queryByRole("button", { name: "Unblock velvetfox" })).toBeNull();
    await waitFor(() => expect(useToasts.getState().toasts[0]?.text).toBe("velvetfox is no longer blocked."));
    useToasts.getState().toasts[0]?.action?.run();
    expect(await screen.findByText(/u2|velvetfox/)).toBeTruthy();
  });

  it("takes a tag in that is not there yet", async () => {
    const calls = house([{ kind: "tag", target: "feet", label: "feet" }]);
    renderPage(<Blocks />, "/account/blocks");
    const choice = await screen.findByLabelText("Block a tag");
    expect(screen.queryByRole("option", { name: "Feet" })).toBeNull();
    await userEvent.selectOptions(choice, "bully");
    await userEvent.click(screen.getByRole("button", { name: "Block" }));
    expect(await screen.findByRole("button", { name: "Unblock Bully" })).toBeTruthy();
    expect(calls.find((call) => call.method === "POST")?.body).toEqual({
      kind: "tag",
      target: "bully",
      on: true,
    });
  });

  it("says so when it cannot be loaded", async () => {
    serve({});
    renderPage(<Blocks />, "/account/blocks");
    expect(await screen.findByRole("button", { name: "Try again" })).toBeTruthy();
  });
});
