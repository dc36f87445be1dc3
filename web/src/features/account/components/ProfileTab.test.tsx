import { useQuery } from "@tanstack/react-query";
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "@/shared/api/client";
import type { User } from "@/shared/api/types";
import { useRoot, useUser } from "@/shared/store";
import { makeUser } from "@/test/make";
import { renderPage, serve } from "@/test/page";
import { useFreshProfile } from "../api";
import { ProfileTab } from "./ProfileTab";

/** The form, and beside it what everybody sees on the creator's page. */
function Page() {
  const user = useUser();
  useFreshProfile();
  const { data } = useQuery({ queryKey: ["creator", "wren"], queryFn: () => api.get<User>("user/wren") });
  return (
    <>
      {user && <ProfileTab user={user} />}
      <output>{data?.bio}</output>
    </>
  );
}

/** An account; this browser keeps it as it was before `changes`. */
function open(changes: Partial<User>) {
  const before = makeUser({ bio: "Old.", sponsorMeLink: null });
  let account = { ...before, ...changes };
  useRoot.getState().enter(before);
  const sent: unknown[] = [];
  serve({
    "GET user/wren": () => account,
    "POST user/update": ({ body }) => {
      const form = Object.fromEntries(body as FormData) as Partial<User>;
      sent.push(form);
      account = { ...account, ...form };
      // What else there is could not be asked for.
      return { user: { ...account, subscriptionStatus: undefined } };
    },
  });
  renderPage(<Page />, "/account");
  return sent;
}

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name);
afterEach(() => vi.unstubAllGlobals());

describe("the own profile", () => {
  it("is saved over what the account holds, not over what this browser had kept of it", async () => {
    const sent = open({ bio: "New." });
    await waitFor(() => expect(field("Bio").value).toBe("New."));
    await userEvent.type(field("Sponsor link"), "https://tips.example.com");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() =>
      expect(sent).toEqual([{ username: "wren", bio: "New.", sponsorMeLink: "https://tips.example.com" }]),
    );
  });

  it("leaves what has been typed as it is when the account changes elsewhere", async () => {
    open({});
    await userEvent.type(field("Sponsor link"), "https://tips.example.com");
    act(() => useRoot.getState().setUser(makeUser({ bio: "From my phone." })));
    expect(field("Bio").value).toBe("From my phone.");
    expect(field("Sponsor link").value).toBe("https://tips.example.com");
  });

  it("is new everywhere once it is saved, and keeps the plan that the answer did not know", async () => {
    open({ subscriptionStatus: "active" });
    await waitFor(() => expect(screen.getByRole("status").textContent).toBe("Old."));
    await userEvent.type(field("Bio"), " And new.");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(screen.getByRole("status").textContent).toBe("Old. And new."));
    await waitFor(() => expect(useRoot.getState().userData?.subscriptionStatus).toBe("active"));
  });
});
