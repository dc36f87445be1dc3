import type { User } from "@/shared/api/types";
import { Devices } from "./Devices";
import { PasswordForm } from "./PasswordForm";
import { TwoStep } from "./TwoStep";
import { YourData } from "./YourData";

export function SecurityTab({ user }: { user: User }) {
  return (
    <div className="security">
      <div>
        <PasswordForm />
        <TwoStep user={user} />
      </div>
      <div>
        <Devices />
        <YourData user={user} />
      </div>
    </div>
  );
}
