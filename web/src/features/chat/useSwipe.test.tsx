import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { useSwipe } from "./useSwipe";

function Page({ onSwipe }: { onSwipe: (step: 1 | -1) => void }) {
  return <div data-testid="page" {...useSwipe(onSwipe)} />;
}

function swipe(from: [number, number], to: [number, number]) {
  const onSwipe = vi.fn();
  render(<Page onSwipe={onSwipe} />);
  const page = screen.getByTestId("page");
  fireEvent.touchStart(page, { touches: [{ clientX: from[0], clientY: from[1] }] });
  fireEvent.touchEnd(page, { changedTouches: [{ clientX: to[0], clientY: to[1] }] });
  return onSwipe;
}

it.each([
  ["to the left goes on", [300, 100], [200, 110], [[1]]],
  ["to the right goes back", [100, 100], [220, 90], [[-1]]],
  ["that is short does nothing", [100, 100], [140, 100], []],
  ["that scrolls does nothing", [100, 100], [200, 300], []],
] as const)("a finger %s", (_, from, to, calls) => {
  expect(swipe([...from], [...to]).mock.calls).toEqual(calls);
});
