export { default } from "./pages/Home";
