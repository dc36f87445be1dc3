import { Ban, EyeOff, Hourglass } from "lucide-react";
import type { ReactNode } from "react";
import type { Character } from "@/shared/api/types";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { useMessages } from "../i18n";

function Note({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <div className="note held-note">
      {icon}
      <p>
        <b>{title}</b> {children}
      </p>
    </div>
  );
}

const toReports = (text: ReactNode) => (
  <Link className="link" to={paths.reports}>
    {text}
  </Link>
);

/** For its owner: why others do not see a character yet. */
export function HeldNote({ because }: { because: string }) {
  const t = useMessages("state");
  return (
    <Note icon={<Hourglass className="icon s" />} title={t("held")}>
      {t("heldText", { because })}
    </Note>
  );
}

/** For its owner: where a character stands with the moderators. Says nothing while everybody sees it. */
export function StateNote({ character }: { character: Pick<Character, "heldBecause" | "state"> }) {
  const t = useMessages("state");
  const { heldBecause, state } = character;
  if (heldBecause) return <HeldNote because={heldBecause} />;
  if (state === "pending") {
    return (
      <Note icon={<Hourglass className="icon s" />} title={t("pending")}>
        {t("pendingText")}
      </Note>
    );
  }
  if (state === "limited") {
    return (
      <Note icon={<EyeOff className="icon s" />} title={t("limited")}>
        {t.rich("limitedText", { link: toReports })}
      </Note>
    );
  }
  if (state === "quarantined") {
    return (
      <Note icon={<EyeOff className="icon s" />} title={t("quarantined")}>
        {t.rich("hiddenText", { link: toReports })}
      </Note>
    );
  }
  if (state === "removed") {
    return (
      <Note icon={<Ban className="icon s" />} title={t("removed")}>
        {t.rich("hiddenText", { link: toReports })}
      </Note>
    );
  }
  return null;
}
