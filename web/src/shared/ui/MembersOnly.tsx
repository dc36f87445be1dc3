import type { ReactNode } from "react";
import { useMessages } from "../i18n";
import { paths } from "../paths";
import { isFree } from "../session";
import { useUser } from "../store";
import { ButtonLink } from "./Button";
import { Lock, Locked } from "./Lock";

interface MembersOnlyProps {
  /** What a membership opens, as a title: `Characters of your own`. */
  title: string;
  text: string;
  children: ReactNode;
}

/** Shows its content to members; to everyone else, the content out of reach behind a Subscribe panel. */
export function MembersOnly({ title, text, children }: MembersOnlyProps) {
  const t = useMessages("ui");
  const user = useUser();
  if (!isFree(user)) return children;
  return (
    <Locked behind={children}>
      <Lock
        title={title}
        actions={
          <ButtonLink look="lit" to={paths.membership}>
            {t("subscribe")}
          </ButtonLink>
        }
      >
        {text}
      </Lock>
    </Locked>
  );
}
