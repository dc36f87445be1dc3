export { useNotificationHints, useUnread } from "./api";
