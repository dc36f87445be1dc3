import { Gem } from "lucide-react";
import { useMessages } from "../i18n";

/** What the paid plans put beside a name; where there is little room, its stone alone. */
export function CreatorBadge({ small = false }: { small?: boolean }) {
  const t = useMessages("badge");
  if (small) {
    return <Gem className="icon s creator-gem" role="img" aria-label={t("means")} />;
  }
  return (
    <span className="badge person-badge" title={t("means")}>
      <Gem className="icon s" />
      {t("creator")}
    </span>
  );
}
