import { messages } from "./i18n";
import { leaving } from "./leaving";
import { paths } from "./paths";
import type { NavigateFunction } from "./router";
import { signOut as endSession } from "./session";
import { toast } from "./toast";

/** Ends the session and goes to the door. */
export async function signOut(navigate: NavigateFunction): Promise<void> {
  leaving.now = true;
  const ended = endSession();
  void navigate(paths.login);
  await ended;
  toast.success(messages("frame")("loggedOut"));
}
