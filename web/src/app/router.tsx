import { createBrowserRouter, type RouteObject } from "react-router";
import { ErrorPage } from "./ErrorPage";
import { DoorFrame, HouseFrame, TalkFrame } from "./frame/Frames";
import { forRole } from "./guards";
import { NotFound } from "./NotFound";
import { PageSkeleton, Root } from "./Root";
import { type AppRoute, routes } from "./routes";

function toRouteObject({ path, title, load, role }: AppRoute): RouteObject {
  return {
    path,
    handle: { title },
    lazy: async () => {
      const Page = (await load()).default;
      return { Component: role ? forRole(role, Page) : Page };
    },
  };
}

const framed = (frame: AppRoute["frame"]) =>
  routes.filter((route) => route.frame === frame).map(toRouteObject);

export const router = createBrowserRouter([
  {
    Component: Root,
    ErrorBoundary: ErrorPage,
    HydrateFallback: PageSkeleton,
    children: [
      {
        Component: HouseFrame,
        children: [
          // An error inside a page keeps the frame around it.
          {
            ErrorBoundary: ErrorPage,
            children: [
              ...framed("house"),
              { path: "*", handle: { title: "Not found" }, Component: NotFound },
            ],
          },
        ],
      },
      { Component: DoorFrame, children: [{ ErrorBoundary: ErrorPage, children: framed("door") }] },
      { Component: TalkFrame, children: [{ ErrorBoundary: ErrorPage, children: framed("talk") }] },
    ],
  },
]);
