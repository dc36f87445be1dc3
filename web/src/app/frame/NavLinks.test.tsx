import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { MemoryRouter } from "@/shared/router";
import { NavLinks } from "./NavLinks";

const current = (address: string) => {
  const { unmount } = render(
    <MemoryRouter at={address}>
      <NavLinks />
    </MemoryRouter>,
  );
  const names = screen.queryAllByRole("link", { current: "page" }).map((link) => link.textContent);
  unmount();
  return names;
};

it("marks where one is, the home page at both of its addresses", () => {
  expect(current("/")).toEqual(["Home"]);
  expect(current("/home")).toEqual(["Home"]);
  expect(current("/home?sort=New")).toEqual(["Home"]);
  expect(current("/top-creators")).toEqual(["Top Creators"]);
  expect(current("/about")).toEqual([]);
});
