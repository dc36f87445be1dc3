import type { BrowserContext } from "playwright-core";
import { ok, type Person } from "./people";

/** Lets a browser begin as somebody who is signed in; what it forgets later stays forgotten. */
export async function enter(context: BrowserContext, person: Person): Promise<void> {
  const userData = await ok("GET", `/api/user/${person.username}?isOwnProfile=true`, { token: person.token });
  const root = JSON.stringify({ state: { userData, loggedIn: true }, version: 1 });
  await context.addInitScript(
    ([token, stored]) => {
      if (sessionStorage.getItem("entered")) return;
      sessionStorage.setItem("entered", "yes");
      localStorage.setItem("jwt", token);
      localStorage.setItem("root", stored);
    },
    [person.token, root] as const,
  );
}
