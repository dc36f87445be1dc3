import { type ComponentType, type ReactNode, Suspense } from "react";
import { type Route, Routes } from "@/shared/router";
import { ErrorBoundary } from "./ErrorBoundary";
import { DoorFrame, HouseFrame, TalkFrame } from "./frame/Frames";
import { NotFound } from "./NotFound";
import { pageOf } from "./pages";
import { PageSkeleton, Root } from "./Root";
import { type AppRoute, routes } from "./routes";

const FRAMES: Record<AppRoute["frame"], ComponentType<{ children: ReactNode }>> = {
  house: HouseFrame,
  door: DoorFrame,
  talk: TalkFrame,
};

/** A page in its frame. An error inside a page keeps the frame around it. */
function framed(frame: AppRoute["frame"], Page: ComponentType): ReactNode {
  const Frame = FRAMES[frame];
  return (
    <Frame>
      <ErrorBoundary>
        <Suspense fallback={<PageSkeleton />}>
          <Page />
        </Suspense>
      </ErrorBoundary>
    </Frame>
  );
}

const table: readonly Route[] = [
  ...routes.map((route) => ({ path: route.path, element: framed(route.frame, pageOf(route)) })),
  { path: "*", element: framed("house", NotFound) },
];

/** Every address and what stands around its page. */
export function App() {
  return (
    <ErrorBoundary>
      <Root>
        <Routes routes={table} />
      </Root>
    </ErrorBoundary>
  );
}
