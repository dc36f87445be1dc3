import { Gem } from "lucide-react";

const MEANS = "Creator badge: a member of Premium or Deluxe";

/** What the paid plans put beside a name; where there is little room, its stone alone. */
export function CreatorBadge({ small = false }: { small?: boolean }) {
  if (small) {
    return <Gem className="icon s creator-gem" role="img" aria-label={MEANS} />;
  }
  return (
    <span className="badge person-badge" title={MEANS}>
      <Gem className="icon s" />
      Creator
    </span>
  );
}
