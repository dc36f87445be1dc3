import { type ComponentType, Suspense } from "react";
import { Route, Routes } from "react-router";
import { ErrorBoundary } from "./ErrorBoundary";
import { DoorFrame, HouseFrame, TalkFrame } from "./frame/Frames";
import { NotFound } from "./NotFound";
import { pageOf } from "./pages";
import { PageSkeleton, Root } from "./Root";
import { type AppRoute, routes } from "./routes";

/** A page in its frame. An error inside a page keeps the frame around it. */
const inFrame = (Page: ComponentType) => (
  <ErrorBoundary>
    <Suspense fallback={<PageSkeleton />}>
      <Page />
    </Suspense>
  </ErrorBoundary>
);

const framed = (frame: AppRoute["frame"]) =>
  routes
    .filter((route) => route.frame === frame)
    .map((route) => <Route key={route.path} path={route.path} element={inFrame(pageOf(route))} />);

const house = framed("house");
const door = framed("door");
const talk = framed("talk");

/** Every address and what stands around its page. */
export function App() {
  return (
    <ErrorBoundary>
      <Routes>
        <Route Component={Root}>
          <Route Component={HouseFrame}>
            {house}
            <Route path="*" element={inFrame(NotFound)} />
          </Route>
          <Route Component={DoorFrame}>{door}</Route>
          <Route Component={TalkFrame}>{talk}</Route>
        </Route>
      </Routes>
    </ErrorBoundary>
  );
}
