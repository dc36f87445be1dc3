import { useQuery } from "@tanstack/react-query";
import { Monitor, Smartphone } from "lucide-react";
import { useRef, useState } from "react";
import type { Device } from "@/shared/api/types";
import { ago } from "@/shared/format";
import { useKeptFocus } from "@/shared/hooks/useKeptFocus";
import { Button, Dialog } from "@/shared/ui";
import { useMessages } from "../i18n";
import { devicesOptions, useSignOutDevices } from "../security";
import { PasswordAgain } from "./PasswordAgain";

const isPhone = (device: Device) => /phone|android|mobile|ios/i.test(device.device);
const known = (text: string) => text !== "" && !/^unknown/i.test(text);

/** `Firefox on Linux`, or what is known of it. */
function useDeviceName({ browser, device }: Device): string {
  const t = useMessages("devices");
  if (known(browser) && known(device)) return t("browserOn", { browser, device });
  return [browser, device].find(known) ?? t("unknown");
}

function DeviceItem({ device, onSignOut }: { device: Device; onSignOut: () => void }) {
  const t = useMessages("devices");
  const name = useDeviceName(device);
  const Icon = isPhone(device) ? Smartphone : Monitor;
  const where = [device.location, device.ip].filter(known).join(", ");
  return (
    <li className="device">
      <Icon className="icon" />
      <div>
        <b>{name}</b> {device.current && <span className="badge">{t("this")}</span>}
        <p className="hint num">
          {where && <span>{where}</span>}
          <time dateTime={device.lastLoginTime}>{t("login", { when: ago(device.lastLoginTime) })}</time>
        </p>
      </div>
      {!device.current && (
        <Button size="small" aria-label={t("signOutName", { name })} onClick={onSignOut}>
          {t("signOut")}
        </Button>
      )}
    </li>
  );
}

/** Who is to be signed out: one device, or all but this one. */
type Leaving = Device | "others";

function OneDevice({ device }: { device: Device }) {
  const t = useMessages("devices");
  const name = useDeviceName(device);
  return t.rich("signOutOne", { name, when: ago(device.lastLoginTime), b: (text) => <b>{text}</b> });
}

/** The password once more: who has found an open session sends nobody away. */
function SignOutDialog({ leaving, onClose }: { leaving: Leaving; onClose: () => void }) {
  const t = useMessages("devices");
  const signOut = useSignOutDevices();
  const id = leaving === "others" ? null : leaving.id;
  return (
    <Dialog open onClose={onClose} title={t(leaving === "others" ? "signOutAll" : "signOutAsk")}>
      <PasswordAgain
        lead={leaving === "others" ? t("signOutOthers") : <OneDevice device={leaving} />}
        label={t("password")}
        keep={t("cancel")}
        go={t("signOut")}
        failed={t("signOutFailed")}
        onKeep={onClose}
        onGo={(password) => signOut.mutateAsync({ id, password }).then(onClose)}
      />
    </Dialog>
  );
}

const BONES = ["first", "second"];

/** Where the account is signed in, and the way to end that. */
export function Devices() {
  const t = useMessages("devices");
  const list = useQuery(devicesOptions);
  const [leaving, setLeaving] = useState<Leaving | null>(null);
  const others = list.data?.filter((device) => !device.current).length ?? 0;
  const box = useRef<HTMLElement>(null);
  useKeptFocus(box, `${list.data?.length}`);
  return (
    <section aria-labelledby="devices" ref={box} tabIndex={-1}>
      <h2 id="devices">{t("title")}</h2>
      {list.isPending ? (
        <div className="ledger-bones" role="status" aria-label={t("loading")}>
          {BONES.map((key) => (
            <span className="bone" key={key} />
          ))}
        </div>
      ) : !list.data ? (
        <p className="ledger-failed" role="alert">
          <span className="error">{t("failed")}</span>
          <Button size="small" onClick={() => void list.refetch()}>
            {t("tryAgain")}
          </Button>
        </p>
      ) : (
        <>
          <ul className="devices">
            {list.data.map((device) => (
              <DeviceItem key={device.id} device={device} onSignOut={() => setLeaving(device)} />
            ))}
          </ul>
          {others > 0 && (
            <div>
              <Button size="small" onClick={() => setLeaving("others")}>
                {t("signOutAll")}
              </Button>
            </div>
          )}
        </>
      )}
      {leaving && <SignOutDialog leaving={leaving} onClose={() => setLeaving(null)} />}
    </section>
  );
}
