import { useInfiniteQuery } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { renderPage } from "@/test/page";
import { PagedList } from "./PagedList";

/** A list whose pages come from `read`; a page that is not there fails. */
function List({ read }: { read: (page: number) => string[] | null }) {
  const list = useInfiniteQuery({
    queryKey: ["paged"],
    queryFn: async ({ pageParam }) => {
      const lines = read(pageParam);
      if (!lines) throw new Error("no answer");
      return lines;
    },
    initialPageParam: 1,
    getNextPageParam: (last, pages) => (last.length > 0 ? pages.length + 1 : undefined),
    retry: false,
  });
  const lines = list.data?.pages.flat() ?? [];
  return (
    <PagedList
      list={list}
      count={lines.length}
      className="lines"
      loading="Loading lines"
      bones={<i />}
      failure="The lines could not be loaded."
      empty={<p>No line</p>}
    >
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </PagedList>
  );
}

const more = () => screen.findByRole("button", { name: "Load More" });
const lines = () => screen.getAllByRole("listitem").map((line) => line.textContent);

describe("a list that grows", () => {
  it("waits with its shape, then shows page after page", async () => {
    const pages = [["first", "second"], ["third"], []];
    renderPage(<List read={(page) => pages[page - 1] ?? null} />, "/");
    expect(screen.getByRole("status", { name: "Loading lines" })).toBeTruthy();
    await userEvent.click(await more());
    expect(await screen.findByText("third")).toBeTruthy();
    expect(lines()).toEqual(["first", "second", "third"]);
    await userEvent.click(await more());
    await expect.poll(() => screen.queryByRole("button")).toBeNull();
  });

  it("says that it is empty", async () => {
    renderPage(<List read={() => []} />, "/");
    expect(await screen.findByText("No line")).toBeTruthy();
  });

  it("says that it could not be loaded, and is read again on demand", async () => {
    let down = true;
    renderPage(<List read={() => (down ? null : [])} />, "/");
    expect(await screen.findByText("The lines could not be loaded.")).toBeTruthy();
    down = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("No line")).toBeTruthy();
  });

  it("keeps what it has when the next page does not come", async () => {
    let down = true;
    renderPage(<List read={(page) => (page === 1 ? ["first"] : down ? null : ["second"])} />, "/");
    await userEvent.click(await more());
    expect((await screen.findByRole("alert")).textContent).toBe("The lines could not be loaded.");
    expect(lines()).toEqual(["first"]);
    down = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("second")).toBeTruthy();
  });
});
