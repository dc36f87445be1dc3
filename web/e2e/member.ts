import type { Page } from "playwright-core";
import { ok, type Person } from "./people";

/** The browser of this page is somebody's from now on, as if they had signed in; nobody's for null. */
export async function become(page: Page, person: Person | null): Promise<void> {
  // A page of ours without the app in it, which would write back whom it knew.
  await page.goto("/robots.txt");
  const userData = person && (await ok("GET", "/api/user/me", { token: person.token }));
  await page.evaluate(
    ([token, user]) => {
      localStorage.clear();
      if (!token) return;
      localStorage.setItem("jwt", token);
      localStorage.setItem("root", JSON.stringify({ state: { userData: user, loggedIn: true }, version: 1 }));
    },
    [person?.token, userData] as const,
  );
}
