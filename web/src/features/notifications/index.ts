export { useUnread } from "./api";
