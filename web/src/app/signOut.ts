import { messages } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import type { NavigateFunction } from "@/shared/router";
import { signOut as endSession } from "@/shared/session";
import { toast } from "@/shared/toast";
import { leaving } from "./leaving";

/** Ends the session and goes to the door. */
export async function signOut(navigate: NavigateFunction): Promise<void> {
  leaving.now = true;
  await endSession();
  void navigate(paths.login);
  toast.success(messages("frame")("loggedOut"));
}
