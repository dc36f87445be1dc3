import { Ban, ChevronRight, Flag, type LucideIcon, User as UserIcon, VenetianMask } from "lucide-react";
import type { User } from "@/shared/api/types";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { useMessages } from "../i18n";

interface Way {
  to: string;
  icon: LucideIcon;
  name: "page" | "personas" | "blocks" | "reports";
}

const waysOf = ({ username }: User): Way[] => [
  { to: paths.creator(username), icon: UserIcon, name: "page" },
  { to: paths.personas, icon: VenetianMask, name: "personas" },
  { to: paths.blocks, icon: Ban, name: "blocks" },
  { to: paths.reports, icon: Flag, name: "reports" },
];

/** The pages that are about oneself and stand elsewhere. */
export function AlsoYours({ user }: { user: User }) {
  const t = useMessages("ways");
  return (
    <nav className="panel ways" aria-label={t("title")}>
      {waysOf(user).map(({ to, icon: Icon, name }) => (
        <Link key={to} to={to}>
          <Icon className="icon" />
          <span>
            <b>{t(name)}</b>
            <span className="hint">{t(`${name}Hint`)}</span>
          </span>
          <ChevronRight className="icon s" />
        </Link>
      ))}
    </nav>
  );
}
