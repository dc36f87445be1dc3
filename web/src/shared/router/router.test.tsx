import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { lazy, type ReactNode, Suspense } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  BrowserRouter,
  Link,
  MemoryRouter,
  Navigate,
  type NavigateFunction,
  NavLink,
  Routes,
  useLocation,
  useNavigate,
  useNavigationType,
  useParams,
  useSearchParams,
} from ".";

/** Shows where the reader is, how they came, and what was passed along. */
function Here() {
  const { pathname, search, hash, state } = useLocation();
  return <output>{`${useNavigationType()} ${pathname}${search}${hash} ${JSON.stringify(state)}`}</output>;
}

const here = () => screen.getByRole("status").textContent;

let navigate: NavigateFunction;
let key: string;
function Lead() {
  navigate = useNavigate();
  key = useLocation().key;
  return null;
}

const inBrowser = (children?: ReactNode) =>
  render(
    <BrowserRouter>
      <Here />
      <Lead />
      {children}
    </BrowserRouter>,
  );

/** Shows what stands in the address for the names in the route's path. */
function Named() {
  return <output>{JSON.stringify(useParams())}</output>;
}

describe("a path", () => {
  it.each([
    ["/chats", "/chats", {}],
    ["/chats", "/Chats/", {}],
    ["/chats", "/chats/1", null],
    ["/tag/:tag", "/tag/monster-girl", { tag: "monster-girl" }],
    ["/tag/:tag", "/tag/a%2Fb%20%C3%A9", { tag: "a/b é" }],
    ["/tag/:tag", "/tag/100%25%2541", { tag: "100%%41" }],
    ["/tag/:tag", "/tag/100%", { tag: "100%" }],
    ["/tag/:tag", "/tag", null],
    ["/character/:id/chat", "/character/C1/chat", { id: "C1" }],
    ["/", "/", {}],
    ["/", "/home", null],
    ["*", "/nowhere/at/all", {}],
  ])("%s says of %s %o", (path, address, names) => {
    render(
      <MemoryRouter at={address}>
        <Routes routes={[{ path, element: <Named /> }]} />
      </MemoryRouter>,
    );
    const shown = screen.queryByRole("status");
    if (names) expect(JSON.parse(shown?.textContent ?? "")).toMatchObject(names);
    else expect(shown).toBeNull();
  });
});

describe("in the browser", () => {
  beforeEach(() => history.replaceState(null, "", "/search?sort=New#top"));

  it("begins where it was opened", () => {
    inBrowser();
    expect(here()).toBe("POP /search?sort=New#top null");
  });

  it("leads on, back, and forth, and keeps what was passed along", async () => {
    inBrowser();
    act(() => navigate("/login", { state: { redirectPath: "/chats" } }));
    expect(here()).toBe('PUSH /login {"redirectPath":"/chats"}');
    expect(location.pathname).toBe("/login");
    act(() => navigate(-1));
    await vi.waitFor(() => expect(here()).toBe("POP /search?sort=New#top null"));
    act(() => navigate(1));
    await vi.waitFor(() => expect(here()).toBe('POP /login {"redirectPath":"/chats"}'));
  });

  it("takes the place of an entry where it is told to", () => {
    inBrowser();
    const entries = history.length;
    act(() => navigate("/about", { replace: true }));
    expect(here()).toBe("REPLACE /about null");
    expect(history.length).toBe(entries);
  });

  it.each([
    ["#more", "/search?sort=New#more"],
    ["?sort=Old", "/search?sort=Old"],
    ["?", "/search"],
    ["/tag/é", "/tag/%C3%A9"],
  ])("reads %s from where it is", (to, address) => {
    inBrowser();
    act(() => navigate(to));
    expect(here()).toBe(`PUSH ${address} null`);
  });

  it.each(["https://elsewhere.test/", "//elsewhere.test/", "javascript:alert(1)"])(
    "does not lead to %s",
    (to) => {
      inBrowser();
      expect(() => navigate(to)).toThrow(TypeError);
      expect(location.pathname).toBe("/search");
    },
  );

  it("tells an entry that was led to from one that was opened", () => {
    inBrowser();
    expect(key).toBe("default");
    act(() => navigate("/about"));
    expect(key).toBe(history.state.key);
  });

  it("keeps the page before until the code of the next has come", async () => {
    let come = (_page: { default: () => ReactNode }) => {};
    const Next = lazy(() => new Promise<{ default: () => ReactNode }>((resolve) => (come = resolve)));
    inBrowser(
      <Suspense fallback="Wait">
        <Routes
          routes={[
            { path: "/search", element: <p>Search</p> },
            { path: "*", element: <Next /> },
          ]}
        />
      </Suspense>,
    );
    act(() => navigate("/about"));
    expect(screen.getByText("Search")).toBeTruthy();
    expect(screen.queryByText("Wait")).toBeNull();
    await act(async () => come({ default: () => <p>About</p> }));
    expect(screen.getByText("About")).toBeTruthy();
    expect(screen.queryByText("Search")).toBeNull();
  });
});

describe("a link", () => {
  // jsdom has no other page to go to.
  const stay = (event: Event) => event.preventDefault();
  beforeEach(() => {
    history.replaceState(null, "", "/");
    globalThis.addEventListener("click", stay);
  });
  afterEach(() => globalThis.removeEventListener("click", stay));

  it("leads on without loading the app anew, and passes along", async () => {
    inBrowser(
      <Link to="/chats?all=1" state={{ from: "here" }}>
        Chats
      </Link>,
    );
    await userEvent.click(screen.getByRole("link"));
    expect(here()).toBe('PUSH /chats?all=1 {"from":"here"}');
  });

  it("is no new entry to where one is", async () => {
    inBrowser(<Link to="/">Home</Link>);
    await userEvent.click(screen.getByRole("link"));
    expect(here()).toBe("REPLACE / null");
  });

  it.each(["Control", "Meta", "Shift", "Alt"])("is the browser's with %s, and says so", async (key) => {
    const pressed = vi.fn();
    inBrowser(
      <Link to="/chats" onClick={pressed}>
        Chats
      </Link>,
    );
    const user = userEvent.setup();
    await user.keyboard(`{${key}>}`);
    await user.click(screen.getByRole("link"));
    expect(here()).toBe("POP / null");
    expect(pressed).toHaveBeenCalledOnce();
  });

  it("is the browser's where it opens another tab, or is answered already", async () => {
    inBrowser(
      <>
        <Link to="/chats" target="_blank">
          Tab
        </Link>
        <Link to="/chats" onClick={(event) => event.preventDefault()}>
          Answered
        </Link>
      </>,
    );
    await userEvent.click(screen.getByRole("link", { name: "Tab" }));
    await userEvent.click(screen.getByRole("link", { name: "Answered" }));
    expect(here()).toBe("POP / null");
  });

  it("says so where one is at its page, or below it", () => {
    render(
      <MemoryRouter at="/personas/lorebooks">
        <NavLink to="/personas">Personas</NavLink>
        <NavLink to="/persona">Another</NavLink>
        <NavLink to="/Personas/Lorebooks">Lorebooks</NavLink>
      </MemoryRouter>,
    );
    const names = screen.getAllByRole("link", { current: "page" }).map((link) => link.textContent);
    expect(names).toEqual(["Personas", "Lorebooks"]);
  });
});

function Tag() {
  const [params, setParams] = useSearchParams();
  return (
    <>
      <p>{`${useParams().tag} by ${params.get("sort")}`}</p>
      <button type="button" onClick={() => setParams({ sort: "New" }, { replace: true })}>
        New
      </button>
      <button
        type="button"
        onClick={() =>
          setParams((before) => {
            before.delete("sort");
            return before;
          })
        }
      >
        Any
      </button>
    </>
  );
}

function Frame({ children }: { children?: ReactNode }) {
  return (
    <>
      <input aria-label="Search" />
      {children}
    </>
  );
}

describe("what the address says", () => {
  it("is read and changed", async () => {
    render(
      <MemoryRouter at="/tag/elf">
        <Here />
        <Routes routes={[{ path: "/tag/:tag", element: <Tag /> }]} />
      </MemoryRouter>,
    );
    expect(screen.getByText("elf by null")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "New" }));
    expect(screen.getByText("elf by New")).toBeTruthy();
    expect(here()).toBe("REPLACE /tag/elf?sort=New null");
    await userEvent.click(screen.getByRole("button", { name: "Any" }));
    expect(here()).toBe("PUSH /tag/elf null");
  });

  it("is read once, and not decoded twice", () => {
    render(
      <MemoryRouter at="/tag/elf?sort=50%2525%2541+%26%2B">
        <Tag />
      </MemoryRouter>,
    );
    expect(screen.getByText("undefined by 50%25%41 &+")).toBeTruthy();
  });

  it("changes the page, not what stands around it", async () => {
    inBrowser(
      <Routes
        routes={[
          { path: "/tag/:tag", element: <Frame /> },
          {
            path: "*",
            element: (
              <Frame>
                <p>Any</p>
              </Frame>
            ),
          },
        ]}
      />,
    );
    act(() => navigate("/tag/elf"));
    expect(screen.queryByText("Any")).toBeNull();
    const field = screen.getByLabelText("Search");
    act(() => navigate("/about"));
    expect(screen.getByText("Any")).toBeTruthy();
    expect(screen.getByLabelText("Search")).toBe(field);
  });

  it("decides the page: the first that fits, and where one leads on, the next", () => {
    render(
      <MemoryRouter at="/legal/old" state={{ kept: true }}>
        <Routes
          routes={[
            { path: "/legal/old", element: <Navigate to="/legal/new" replace state={{ moved: true }} /> },
            { path: "/legal/:policy", element: <Here /> },
          ]}
        />
      </MemoryRouter>,
    );
    expect(here()).toBe('REPLACE /legal/new {"moved":true}');
  });
});
