import type { NavigateFunction } from "react-router";
import { paths } from "@/shared/paths";
import { signOut as endSession } from "@/shared/session";
import { toast } from "@/shared/toast";
import { leaving } from "./leaving";

/** Ends the session and goes to the door. */
export async function signOut(navigate: NavigateFunction): Promise<void> {
  leaving.now = true;
  await endSession();
  void navigate(paths.login);
  toast.success("Please log back in.");
}
