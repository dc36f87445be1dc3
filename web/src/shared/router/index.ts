/** wouter, with our own location: the names that the app knows. */
export { Redirect as Navigate, useSearchParams } from "wouter";
export { Link, type LinkProps, NavLink } from "./Link";
export {
  BrowserRouter,
  type Location,
  MemoryRouter,
  type NavigateFunction,
  useLocation,
  useNavigate,
  useNavigationType,
} from "./location";
export { firstMatch, type Route, Routes, useParams } from "./Routes";
