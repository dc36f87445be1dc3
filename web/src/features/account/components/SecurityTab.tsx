import { Monitor, Smartphone } from "lucide-react";
import { Link } from "react-router";
import type { Device, User } from "@/shared/api/types";
import { ago } from "@/shared/format";
import { paths } from "@/shared/paths";

const isPhone = (device: Device) => /phone|android|mobile|ios/i.test(device.device);

function DeviceItem({ device }: { device: Device }) {
  const Icon = isPhone(device) ? Smartphone : Monitor;
  const where = [device.location, device.ip].filter((part) => part && part !== "Unknown").join(", ");
  return (
    <li className="device">
      <Icon className="icon" />
      <div>
        <b>{[device.browser, device.device].filter(Boolean).join(" on ") || "Unknown device"}</b>{" "}
        {device.current && <span className="badge">This device</span>}
        <p className="hint">{where}</p>
      </div>
      <time className="hint num" dateTime={device.lastLoginTime}>
        {ago(device.lastLoginTime)}
      </time>
    </li>
  );
}

export function SecurityTab({ user }: { user: User }) {
  const devices = user.deviceInfo ?? [];
  return (
    <div className="security">
      <section>
        <h2>Password</h2>
        <p className="text-2">
          To choose a new one, have a link sent to your address on the{" "}
          <Link className="link" to={paths.forgot}>
            Reset Password
          </Link>{" "}
          page. It signs every other device out.
        </p>
      </section>
      <section>
        <h2>Devices</h2>
        {devices.length === 0 ? (
          <p className="text-2">No logins have been noted yet.</p>
        ) : (
          <ul className="devices">
            {devices.map((device) => (
              <DeviceItem key={device.id} device={device} />
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}
