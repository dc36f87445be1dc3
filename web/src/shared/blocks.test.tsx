import { useQuery } from "@tanstack/react-query";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { renderPage, serve } from "@/test/page";
import { useBlock } from "./blocking";
import { blocksOptions } from "./blocks";
import { useToasts } from "./toast";

function List() {
  const { data } = useQuery(blocksOptions);
  return data?.map(({ label }) => <p key={label}>{label}</p>);
}

/** A card to block, and the way to the list of what is blocked. */
function Page() {
  const block = useBlock();
  const [list, setList] = useState(false);
  return (
    <>
      <button type="button" onClick={() => void block({ kind: "tag", target: "oc", label: "OC" })}>
        Block
      </button>
      <button type="button" onClick={() => setList(true)}>
        Blocked
      </button>
      {list && <List />}
    </>
  );
}

afterEach(() => vi.unstubAllGlobals());

it("lists who is blocked although a block failed before the list had ever been read", async () => {
  serve({
    "GET blocks": () => ({ blocks: [{ kind: "creator", target: "u2", label: "velvetfox" }] }),
    "POST blocks": () => new Response("{}", { status: 500 }),
  });
  renderPage(<Page />, "/");
  await userEvent.click(screen.getByRole("button", { name: "Block" }));
  await waitFor(() => expect(useToasts.getState().toasts).toHaveLength(1));
  await userEvent.click(screen.getByRole("button", { name: "Blocked" }));
  expect(await screen.findByText("velvetfox")).toBeTruthy();
  expect(screen.queryByText("OC")).toBeNull();
});
