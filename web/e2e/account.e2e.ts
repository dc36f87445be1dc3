import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit, PATIENCE_MS, screenshot, undo, type Visit, visit } from "./house";
import { become as signInAs } from "./member";
import { ask, join, logIn, moderator, ok, type Person, signUp, subscribe, totp } from "./people";

/** Doors, account, membership, notifications, block lists and the moderators' queues. */
let house: Visit;
/** Without a plan, and with one. */
let free: Person;
let member: Person;

beforeAll(async () => {
  house = await visit();
});
afterAll(async () => {
  await house?.browser.close();
});

/** The browser is this person's from now on; nobody's without one. */
const become = (person: Person | null) => signInAs(house.page, person);

const dialog = () => house.page.getByRole("dialog");
const button = (name: string | RegExp) => house.page.getByRole("button", { name });
const says = (text: string | RegExp) => house.page.getByText(text).first().waitFor();
const bell = () => house.page.getByRole("link", { name: /^Notifications/ });

/** These addresses answer with an error, until the one who spoilt them mends them. */
async function spoil(path: string): Promise<() => Promise<void>> {
  await house.page.route(`**${path}`, (route) =>
    route.fulfill({ status: 500, contentType: "application/json", body: "{}" }),
  );
  return () => house.page.unroute(`**${path}`);
}

it("has two people with an account", async () => {
  free = await join("pit");
  member = await join("stalls");
  await subscribe(member, "premium");
});

describe("the doors", () => {
  it("send a visitor to the login, and back to where they wanted to go", async () => {
    const { page } = house;
    await become(null);
    for (const path of ["/account/blocks", "/notifications", "/account?tab=security"]) {
      // A message stays three seconds: no waiting for pictures meanwhile.
      await page.goto(path, { waitUntil: "commit" });
      await says("Please login again.");
      await page.waitForURL("**/login");
    }
    await screenshot(page, "login-1440");
    await button("Login").click();
    await says("Must fill out all fields!");
    await page.getByLabel("E-Mail").fill(free.email);
    await page.getByLabel("Password", { exact: true }).fill("Not-the-one-1");
    await button("Login").click();
    await says("Wrong e-mail or password.");
    await page.getByLabel("Password", { exact: true }).fill(free.password);
    await page.getByRole("checkbox", { name: "Remember me" }).click();
    await page.getByLabel("Password", { exact: true }).press("Enter");
    await page.waitForURL("**/account?tab=security");
    await page.getByRole("heading", { name: "Two-step login" }).waitFor();
  });

  it("remember an address, and end a session whose token has run out", async () => {
    const { page } = house;
    const dead = `h.${btoa(JSON.stringify({ exp: 1 }))}.s`;
    await page.evaluate((token) => localStorage.setItem("jwt", token), dead);
    await page.goto("/account", { waitUntil: "commit" });
    await says("Please login again.");
    await page.waitForURL("**/login");
    expect(await page.getByLabel("E-Mail").inputValue()).toBe(free.email);
    expect(await page.evaluate(() => localStorage.getItem("jwt"))).toBeNull();
  });

  it("ask who has not verified for the code, which can be pasted", async () => {
    const { page } = house;
    const newcomer = await signUp("newcomer");
    await page.goto("/login");
    await page.getByLabel("E-Mail").fill(newcomer.email);
    await page.getByLabel("Password", { exact: true }).fill(newcomer.password);
    await button("Login").click();
    await page.waitForURL("**/verify");
    await says("Please verify your email!");
    await audit(page, "verify");
    await button("Submit").click();
    await says("Must fill out all fields!");
    const field = page.getByLabel("Enter code");
    await field.fill("AB1");
    await button("Submit").click();
    await says("Enter full code.");
    await field.fill("ab1-2c3");
    await button("Submit").click();
    await says("That code is not right.");
  });

  it("mail a link to reset, and never tell who has an account", async () => {
    const { page } = house;
    await page.goto("/forgot");
    await button("Submit").click();
    await says("Must fill out all fields!");
    await page.getByLabel("E-Mail Address").fill("nobody-at-all@example.com");
    await button("Submit").click();
    await page.getByRole("heading", { name: "Reset Link Sent" }).waitFor();
    await page.goto("/reset");
    await page.getByLabel("New Password").fill("Another-one-1");
    await button("Submit").click();
    await says("Missing token. Please resubmit a reset request.");
  });
});

describe("the account", () => {
  it("shows a free reader their seat, and what it has not", async () => {
    const { page } = house;
    await become(free);
    await page.goto("/account");
    await says("You are in the free seats.");
    await says("You have paid nothing yet.");
    await button("Cancel Plan").click();
    await page.getByRole("heading", { name: "You aren't subscribed!" }).waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    expect(await button("Change plan").isDisabled()).toBe(true);
  });

  it("says what could not be loaded, and loads it on demand", async () => {
    const { page } = house;
    const mend = await spoil("/api/receipts*");
    await page.goto("/account");
    await says("Failed to load your receipts. Please try again.");
    await mend();
    await button("Try again").click();
    await says("You have paid nothing yet.");
  });

  it("shows a member the days left, coins and receipts", async () => {
    const { page } = house;
    await become(member);
    await page.goto("/account");
    await page.getByRole("img", { name: /^3[01] days left$/ }).waitFor();
    await says("Monthly coins of your plan");
    await says("Payment, Premium monthly");
    await audit(page, "account, member");
    await screenshot(page, "account-1440");
  });

  it("cancels with a question, and takes it back", async () => {
    await button("Cancel Plan").click();
    await says("Positive? Are you sure you want to cancel your subscription?");
    await dialog().getByRole("button", { name: "Keep my seat" }).click();
    await button("Cancel Plan").click();
    await dialog().getByRole("button", { name: "Cancel Plan" }).click();
    await button("Reactivate Subscription").click();
    await button("Cancel Plan").waitFor();
    await says(/Premium, paid monthly, renews on/);
  });

  it("changes to a better plan by a checkout", async () => {
    const { page } = house;
    await page.getByText("Deluxe", { exact: true }).click();
    await button("Change plan").click();
    await page.waitForURL("**/sandbox/checkout/**");
    await page.goto("/account");
  });

  it("tells what a withdrawal means before it is confirmed", async () => {
    const { page } = house;
    await button("Withdraw from the contract").click();
    await dialog()
      .getByText(/your subscription ends at once/)
      .waitFor();
    await audit(page, "withdrawal");
    await dialog().getByRole("button", { name: "Confirm withdrawal" }).click();
    await says("You are in the free seats.");
    await says("Withdrawal, Premium monthly");
  });

  it("keeps a sponsor link, and none that is no address", async () => {
    const { page } = house;
    await page.getByRole("tab", { name: "Account" }).click();
    await page.getByLabel("Sponsor link").fill("my page");
    await button("Save").click();
    await says("The address must begin with https://.");
    await page.getByLabel("Sponsor link").fill("https://sponsor.example.com/me");
    await button("Save").click();
    await says("Profile updated successfully!");
    await page.reload();
    expect(await page.getByLabel("Sponsor link").inputValue()).toBe("https://sponsor.example.com/me");
  });
});

describe("security", () => {
  const standing = async (token: string) => (await ask("GET", "/api/user/me", { token })).status;

  it("changes the password by its own rule", async () => {
    const { page } = house;
    await become(free);
    await page.goto("/account?tab=security");
    const fill = async (current: string, next: string, again: string) => {
      await page.getByLabel("Current password", { exact: true }).fill(current);
      await page.getByLabel("New password", { exact: true }).fill(next);
      await page.getByLabel("Confirm new password", { exact: true }).fill(again);
      await button("Update password").click();
    };
    await fill(free.password, "Prompt~box~8", "Prompt~box~9");
    await says("New passwords do not match");
    await says(/^Password must include an uppercase character/);
    await fill("Not-the-one-1", "PromptBox8", "PromptBox8");
    await says("Your current password is not right.");
    await fill(free.password, "PromptBox8", "PromptBox8");
    await says("Password updated successfully");
    free.password = "PromptBox8";
  });

  it("signs another device out by the password, and no device by a wrong one", async () => {
    const { page } = house;
    const elsewhere = await logIn(free);
    await page.goto("/account?tab=security");
    await page.locator(".device").getByRole("button").first().click();
    const password = dialog().getByLabel("Password", { exact: true });
    const signOut = dialog().getByRole("button", { name: "Sign out" });
    await password.fill("Not-the-one-1");
    await signOut.click();
    await dialog().getByText("Your current password is not right.").waitFor();
    await audit(page, "sign out a device, wrong password");
    expect(await standing(elsewhere)).toBe(200);
    await password.fill(free.password);
    await signOut.click();
    await says("This device is signed out.");
    await expect.poll(() => standing(elsewhere), { timeout: PATIENCE_MS }).toBe(401);
  });

  it("signs all other devices out by the password", async () => {
    const { page } = house;
    const elsewhere = [await logIn(free), await logIn(free)];
    await page.goto("/account?tab=security");
    await button("Sign out all other devices").click();
    await dialog().getByLabel("Password", { exact: true }).fill(free.password);
    await dialog().getByRole("button", { name: "Sign out" }).click();
    await says("All other devices are signed out.");
    for (const token of elsewhere)
      await expect.poll(() => standing(token), { timeout: PATIENCE_MS }).toBe(401);
    await button("Sign out all other devices").waitFor({ state: "detached" });
    await page.locator(".device").getByText("This device").waitFor();
  });

  it("turns the second step on, asks for it at the login, and off again", async () => {
    const { page } = house;
    await button("Turn on").click();
    await dialog().getByLabel("Password", { exact: true }).fill(free.password);
    await dialog().getByRole("button", { name: "Continue" }).click();
    const key = dialog().locator(".secret code");
    await key.waitFor();
    free.secret = ((await key.textContent()) ?? "").replace(/\s/g, "");
    await dialog().getByLabel("Code of the app").fill("000000");
    await dialog().getByRole("button", { name: "Turn on" }).click();
    await says("That code is not right.");
    await dialog().getByLabel("Code of the app").fill(totp(free.secret));
    await dialog().getByRole("button", { name: "Turn on" }).click();
    const codes = dialog().getByRole("list", { name: "Recovery codes" });
    await codes.waitFor();
    free.recoveryCodes = await codes.getByRole("listitem").allTextContents();
    expect(free.recoveryCodes).toHaveLength(10);
    await audit(page, "two-step, recovery codes");
    await dialog().getByRole("button", { name: "I have kept them" }).click();
    await button("New recovery codes").waitFor();

    await become(null);
    await page.goto("/login");
    await page.getByLabel("E-Mail").fill(free.email);
    await page.getByLabel("Password", { exact: true }).fill(free.password);
    await button("Login").click();
    const code = page.getByLabel(/Code of your authenticator app/);
    await code.waitFor();
    await code.fill(free.recoveryCodes.pop() ?? "");
    await button("Login").click();
    await page.waitForURL("**/for-you");
    await page.goto("/account?tab=security");
    await button("Turn off").click();
    await dialog().getByLabel("Password", { exact: true }).fill(free.password);
    await dialog()
      .getByLabel(/Code of the app/)
      .fill(free.recoveryCodes.pop() ?? "");
    await dialog().getByRole("button", { name: "Turn off" }).click();
    await says("Two-step login is off.");
  });

  it("hands out all data, and lets the account be deleted and kept", async () => {
    const { page } = house;
    const download = page.waitForEvent("download");
    await button("Download my data").click();
    expect((await download).suggestedFilename()).toMatch(/\.json$/);
    await button("Delete my account").click();
    await audit(page, "deletion");
    await dialog().getByLabel("Password", { exact: true }).fill(free.password);
    await dialog().getByRole("button", { name: "Delete account" }).click();
    await says(/Your account will be erased on/);
    await button("Keep my account").click();
    await says("Your account stays.");
    await screenshot(page, "security-1440");
    // Later tests go on in the browser's session.
    free.token = (await page.evaluate(() => localStorage.getItem("jwt"))) ?? "";
  });
});

describe("membership", () => {
  it("shows its claims and prices to a visitor, and leads to the login", async () => {
    const { page } = house;
    await become(null);
    await page.goto("/membership");
    for (const claim of ["4.8/5", "100k+", "2400+", "-30%"]) await says(claim);
    await button("Login to continue").click();
    await page.waitForURL("**/login");
  });

  it("takes the code, and none that it does not know", async () => {
    const { page } = house;
    await become(free);
    await page.goto("/membership");
    await page.getByLabel("Promo code").fill("PUMPKIN");
    await button("Apply").click();
    await says("We don't know this code. Check its letters.");
    await page.getByLabel("Promo code").fill("spookyszn");
    await button("Apply").click();
    await says("70% off, for");
    await button("Monthly").click();
    await says("$2.70");
    await screenshot(page, "membership-1440");
  });

  it("comes back from the checkout with the membership", async () => {
    const { page } = house;
    await button("Go to checkout").click();
    await page.waitForURL("**/sandbox/checkout/**");
    await page.getByRole("button", { name: /pay/i }).first().click();
    await says("Welcome to Troupe. Checkout was successful!");
    await button("This is your seat").waitFor();
    await audit(page, "membership, member");
  });

  it("says so when the plans cannot be loaded", async () => {
    const { page } = house;
    const mend = await spoil("/api/plans");
    await page.goto("/membership");
    await says("The plans could not be loaded.");
    await mend();
    await button("Try again").click();
    await page.getByRole("heading", { name: "Your order" }).waitFor();
  });
});

describe("notifications", () => {
  it("come while one reads, are counted, and lead to what they tell of", async () => {
    const { page } = house;
    await become(free);
    await page.goto("/notifications");
    await says("You are on Premium now.");
    await button("Mark all as read").click();
    await says("You have seen them all.");
    await ok("POST", `/api/user/${free.id}/follow`, { token: member.token });
    await expect
      .poll(() => bell().getAttribute("aria-label"), { timeout: PATIENCE_MS })
      .toContain("1 unread");
    await screenshot(page, "notifications-1440");
    await page.getByRole("link", { name: `${member.username} follows you.` }).click();
    await page.waitForURL(`**/creator/${member.username}`);
    await expect
      .poll(() => bell().getAttribute("aria-label"), { timeout: PATIENCE_MS })
      .toBe("Notifications");
  });

  it("say so when there are none, and when they cannot be loaded", async () => {
    const { page } = house;
    const quiet = await join("quiet");
    await become(quiet);
    await page.goto("/notifications");
    await page.getByRole("heading", { name: "Nothing has happened yet" }).waitFor();
    const mend = await spoil("/api/notifications?page=1");
    await page.goto("/notifications");
    await button("Try again").waitFor();
    await mend();
    await button("Try again").click();
    await page.getByRole("heading", { name: "Nothing has happened yet" }).waitFor();
  });
});

describe("the block list", () => {
  it("takes tags and people in, and lets them out with a way back", async () => {
    const { page } = house;
    await become(free);
    await ok("POST", "/api/blocks", {
      token: free.token,
      json: { kind: "creator", target: member.id, on: true },
    });
    await page.goto("/account/blocks");
    await button(`Unblock ${member.username}`).waitFor();
    await says("No tag is blocked.");
    await page.getByLabel("Block a tag").selectOption("feet");
    await button("Block").last().click();
    await button("Unblock Feet").waitFor();
    await screenshot(page, "blocks-1440");
    await button("Unblock Feet").click();
    await says("No tag is blocked.");
    // The page shows it at once; the server has to have heard of it before the page is left.
    const heard = page.waitForResponse(
      (response) =>
        response.url().endsWith("/api/blocks") && /"on":true/.test(response.request().postData() ?? ""),
    );
    await undo(page);
    await heard;
    await button("Unblock Feet").waitFor();
    const mend = await spoil("/api/blocks");
    await page.goto("/account/blocks");
    await button("Try again").waitFor();
    await mend();
    await button("Try again").click();
    await button("Unblock Feet").waitFor();
  });
});

describe("the moderators' queues", () => {
  it("do not exist for others", async () => {
    const { page } = house;
    await page.goto("/admin/reports");
    await page.getByRole("heading", { name: "No such page" }).waitFor();
  });

  it("decide a report and its appeal, and suspend and reinstate a person", async () => {
    const { page } = house;
    const keeper = await moderator("keeper");
    const { report } = await ok("POST", "/api/reports", {
      token: free.token,
      json: {
        subjectKind: "user",
        subjectId: member.id,
        reason: "spam",
        text: `The same line under every review, says ${free.username}.`,
      },
    });
    await become(keeper);
    await page.goto("/admin/reports");
    const mine = page.getByRole("article").filter({ hasText: report.number });
    /** Other tests report as well: mine may stand further down. */
    const find = async (state: string) => {
      await page.getByLabel("State").selectOption(state);
      await page.getByLabel("Kind").selectOption("report");
      await expect
        .poll(
          async () => {
            const more = button("Load More");
            if ((await mine.count()) === 0 && (await more.isEnabled({ timeout: 1 }).catch(() => false)))
              await more.click();
            return mine.count();
          },
          { timeout: PATIENCE_MS },
        )
        .toBe(1);
    };
    await find("open");
    await audit(page, "reports");
    await screenshot(page, "admin-reports-1440");
    await mine.getByLabel("Decision").selectOption("none");
    await mine.getByRole("button", { name: /^Decide/ }).click();
    await dialog().getByLabel("Reasons").fill("Nothing of the kind was found.");
    await dialog().getByRole("button", { name: "Nothing to do" }).click();
    await says("The report is decided. Those concerned are told.");
    await mine.waitFor({ state: "detached" });

    await ok("POST", `/api/reports/${report.number}/appeal`, {
      json: { text: "Please look again, it has gone on since." },
    });
    await page.reload();
    await find("appealed");
    await mine.getByRole("button", { name: /^Refuse/ }).click();
    await dialog().getByLabel("Reasons").fill("We looked again and found nothing.");
    await dialog().getByRole("button", { name: "Refuse the appeal" }).click();
    await says("Somebody else has to decide the appeal.");

    await page.getByRole("tab", { name: "People" }).click();
    await page.getByLabel("Username or id").fill("nobody_of_that_name_x");
    await button("Find").click();
    await page.getByRole("heading", { name: "Nobody of that name" }).waitFor();
    await page.getByLabel("Username or id").fill(member.username);
    await button("Find").click();
    await button("Suspend").click();
    await dialog().getByLabel("Reasons").fill("The same line under every review.");
    await dialog().getByRole("button", { name: "Suspend" }).click();
    await says("The account is suspended.");
    // To whoever can end it, a suspension hides nobody.
    await page.reload();
    await page.getByRole("heading", { name: member.username }).waitFor();
    await button("Reinstate").click();
    await says("The account is reinstated.");
    await audit(page, "people");
  });
});

it("makes the pages complain of nothing but the answers that were spoilt on purpose", () => {
  const unasked = house.complaints.filter(
    (line) => !/the server responded with a status of (4|5)\d\d/.test(line),
  );
  expect(unasked).toEqual([]);
});
