import { Ban, EyeOff, Hourglass } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Character } from "@/shared/api/types";
import { paths } from "@/shared/paths";

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

const appeal = (
  <>
    The reasons are under{" "}
    <Link className="link" to={paths.reports}>
      My reports
    </Link>
    , and you can appeal there.
  </>
);

/** For its owner: why others do not see a character yet. */
export function HeldNote({ because }: { because: string }) {
  return (
    <Note icon={<Hourglass className="icon s" />} title="Waits for a look.">
      {because} Until then only you see it, and you will be told.
    </Note>
  );
}

/** For its owner: where a character stands with the moderators. Says nothing while everybody sees it. */
export function StateNote({ character }: { character: Pick<Character, "heldBecause" | "state"> }) {
  const { heldBecause, state } = character;
  if (heldBecause) return <HeldNote because={heldBecause} />;
  if (state === "pending") {
    return (
      <Note icon={<Hourglass className="icon s" />} title="Being checked.">
        Until then only you see this page.
      </Note>
    );
  }
  if (state === "limited") {
    return (
      <Note icon={<EyeOff className="icon s" />} title="Shown less.">
        It is left out of lists and searches. {appeal}
      </Note>
    );
  }
  if (state === "quarantined") {
    return (
      <Note icon={<EyeOff className="icon s" />} title="Hidden while it is looked into.">
        Only you see it. {appeal}
      </Note>
    );
  }
  if (state === "removed") {
    return (
      <Note icon={<Ban className="icon s" />} title="Removed.">
        Only you see it. {appeal}
      </Note>
    );
  }
  return null;
}
