import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { MemoryRouter } from "@/shared/router";
import { useToasts } from "@/shared/toast";
import { Composer } from "./Composer";

const usage = { used: 3, limit: null, pathMessages: 14, freeLimit: 20 };

function show(change: Partial<Parameters<typeof Composer>[0]> = {}) {
  const onSend = vi.fn(async () => true);
  const onStop = vi.fn();
  render(
    <MemoryRouter>
      <Composer
        chatId="chat"
        live={false}
        stopDisabled={false}
        usage={usage}
        persona={null}
        onSend={onSend}
        onStop={onStop}
        {...change}
      />
    </MemoryRouter>,
  );
  return { onSend, onStop, field: screen.getByLabelText<HTMLTextAreaElement>("Your line") };
}
const toasts = () => useToasts.getState().toasts.map((toast) => toast.text);

it("sends on Enter, trimmed, and starts a line on Shift and Enter", async () => {
  const { onSend, field } = show();
  await userEvent.type(field, "  One{Shift>}{Enter}{/Shift}two{Enter}");
  expect(onSend).toHaveBeenCalledExactlyOnceWith("One\ntwo");
  expect(field.value).toBe("");
});

it("sends nothing that is empty", async () => {
  const { onSend, field } = show();
  await userEvent.type(field, "   {Enter}");
  await userEvent.click(screen.getByRole("button", { name: "Send" }));
  expect(onSend).not.toHaveBeenCalled();
});

it("gives a refused line back", async () => {
  const { field } = show({ onSend: async () => false });
  await userEvent.type(field, "Hello?{Enter}");
  expect(field.value).toBe("Hello?");
});

it("offers Stop instead of Send while a reply is written", async () => {
  const { onSend, onStop, field } = show({ live: true });
  expect(screen.queryByRole("button", { name: "Send" })).toBeNull();
  await userEvent.type(field, "Wait{Enter}");
  expect(onSend).not.toHaveBeenCalled();
  expect(field.value).toBe("Wait");
  await userEvent.click(screen.getByRole("button", { name: "Stop" }));
  expect(onStop).toHaveBeenCalledOnce();
});

it("says what is not there yet", async () => {
  show();
  await userEvent.click(screen.getByRole("button", { name: /Image/ }));
  await userEvent.click(screen.getByRole("button", { name: "Voice, not available yet" }));
  expect(toasts()).toEqual(["In chat images coming soon", "That feature is otw 😋"]);
});

it("shows what is left, to free readers and to members", () => {
  show();
  expect(screen.getByText("14 of 20 free messages")).toBeTruthy();
  show({ usage: { used: 1884, limit: 5000, pathMessages: 14, freeLimit: null } });
  expect(screen.getByText("1,884 of 5,000 messages this month")).toBeTruthy();
});
