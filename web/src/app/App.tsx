import { type ComponentType, Suspense } from "react";
import { Route, Routes } from "react-router";
import { useTitle } from "@/shared/hooks/useTitle";
import { ErrorBoundary } from "./ErrorBoundary";
import { DoorFrame, HouseFrame, TalkFrame } from "./frame/Frames";
import { NotFound } from "./NotFound";
import { pageOf } from "./pages";
import { PageSkeleton, Root } from "./Root";
import { type AppRoute, routes } from "./routes";

function Titled({ title, page: Page }: { title: string | null; page: ComponentType }) {
  useTitle(title);
  return <Page />;
}

/** A page in its frame. An error inside a page keeps the frame around it. */
const inFrame = (title: string | null, page: ComponentType) => (
  <ErrorBoundary>
    <Suspense fallback={<PageSkeleton />}>
      <Titled title={title} page={page} />
    </Suspense>
  </ErrorBoundary>
);

const framed = (frame: AppRoute["frame"]) =>
  routes
    .filter((route) => route.frame === frame)
    .map((route) => (
      <Route key={route.path} path={route.path} element={inFrame(route.title, pageOf(route))} />
    ));

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
            <Route path="*" element={inFrame(null, NotFound)} />
          </Route>
          <Route Component={DoorFrame}>{door}</Route>
          <Route Component={TalkFrame}>{talk}</Route>
        </Route>
      </Routes>
    </ErrorBoundary>
  );
}
