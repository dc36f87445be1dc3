import { Ban, ChevronRight, Flag, type LucideIcon, User as UserIcon, VenetianMask } from "lucide-react";
import { Link } from "react-router";
import type { User } from "@/shared/api/types";
import { paths } from "@/shared/paths";

interface Way {
  to: string;
  icon: LucideIcon;
  name: string;
  hint: string;
}

const waysOf = ({ username }: User): Way[] => [
  { to: paths.creator(username), icon: UserIcon, name: "Creator page", hint: "How others see you." },
  { to: paths.personas, icon: VenetianMask, name: "Personas", hint: "Who you are in a chat." },
  { to: paths.blocks, icon: Ban, name: "Block list", hint: "People, characters and tags out of your sight." },
  { to: paths.reports, icon: Flag, name: "Reports", hint: "What you reported, and decisions about you." },
];

/** The pages that are about oneself and stand elsewhere. */
export function AlsoYours({ user }: { user: User }) {
  return (
    <nav className="panel ways" aria-label="Also yours">
      {waysOf(user).map(({ to, icon: Icon, name, hint }) => (
        <Link key={to} to={to}>
          <Icon className="icon" />
          <span>
            <b>{name}</b>
            <span className="hint">{hint}</span>
          </span>
          <ChevronRight className="icon s" />
        </Link>
      ))}
    </nav>
  );
}
