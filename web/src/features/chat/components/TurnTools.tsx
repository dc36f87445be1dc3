import {
  Bookmark,
  ChevronLeft,
  ChevronRight,
  Copy,
  Ellipsis,
  GitFork,
  Pencil,
  RefreshCw,
  ScanEye,
  Trash2,
} from "lucide-react";
import type { ReactNode } from "react";
import type { Message } from "@/shared/api/types";
import { IconButton, Menu, MenuItem } from "@/shared/ui";
import { HELP_REASON } from "../conversation";
import { useMessages } from "../i18n";
import { leafing, useTurnActions } from "../turnActions";

interface ToolProps {
  label: string;
  /** Why it cannot be done now. The button stays reachable, so that the reason can be read. */
  refused?: string | null;
  onClick: () => void;
  className?: string;
  children: ReactNode;
}

function Tool({ label, refused, onClick, className, children }: ToolProps) {
  return (
    <IconButton
      small
      className={className}
      label={refused ? `${label}. ${refused}` : label}
      aria-disabled={refused ? true : undefined}
      onClick={() => !refused && onClick()}
    >
      {children}
    </IconButton>
  );
}

/** Which version this is, and the way to the others. */
export function Versions({ message, newest }: { message: Message; newest: boolean }) {
  const t = useMessages("turn");
  const { swipe, again, locked } = useTurnActions();
  const { back, on, onRefused } = leafing(message, newest, locked);
  if (message.variants < 2 && on !== "write") return null;
  return (
    <span className="swipe">
      <Tool label={t("previous")} refused={back} onClick={() => swipe(message, -1)}>
        <ChevronLeft className="icon s" />
      </Tool>
      <span className="num" role="status">
        {message.variant} <span className="sr">{t("of")}</span>
        <span aria-hidden="true">/</span> {message.variants}
      </span>
      <Tool
        label={t(on === "write" ? "another" : "next")}
        refused={onRefused}
        onClick={() => (on === "write" ? again(message) : swipe(message, 1))}
      >
        <ChevronRight className="icon s" />
      </Tool>
    </span>
  );
}

interface TurnToolsProps {
  message: Message;
  /** How the character is called. */
  character: string;
  newest: boolean;
  onEdit: () => void;
}

/** What can be done with a message: a quiet row where there is a pointer, a menu everywhere. */
export function TurnTools({ message, character, newest, onEdit }: TurnToolsProps) {
  const t = useMessages("turn");
  const actions = useTurnActions();
  const { locked } = actions;
  const isReply = message.senderType === "character" && message.parentId !== null;
  const help = message.reason === HELP_REASON;
  const rewrite = isReply && newest && !help;
  const written = isReply && !help && message.generationId !== null;
  return (
    <span className="turn-tools">
      {rewrite && (
        <Tool label={t("rewrite")} refused={locked} onClick={() => actions.again(message)}>
          <RefreshCw className="icon s" />
        </Tool>
      )}
      {!help && (
        <Tool className="by-pointer" label={t("edit")} refused={locked} onClick={onEdit}>
          <Pencil className="icon s" />
        </Tool>
      )}
      <Tool className="by-pointer" label={t("fork")} onClick={() => actions.fork(message)}>
        <GitFork className="icon s" />
      </Tool>
      <Tool className="by-pointer" label={t("copy")} onClick={() => actions.copy(message)}>
        <Copy className="icon s" />
      </Tool>
      <Menu
        trigger={
          <IconButton small label={t("more")}>
            <Ellipsis className="icon s" />
          </IconButton>
        }
      >
        {locked && (
          <p className="menu-note" role="none">
            {locked}
          </p>
        )}
        <div className="by-touch">
          {!help && (
            <MenuItem disabled={locked !== null} onSelect={onEdit}>
              <Pencil className="icon s" />
              {t("edit")}
            </MenuItem>
          )}
          <MenuItem onSelect={() => actions.fork(message)}>
            <GitFork className="icon s" />
            {t("fork")}
          </MenuItem>
          <MenuItem onSelect={() => actions.copy(message)}>
            <Copy className="icon s" />
            {t("copy")}
          </MenuItem>
        </div>
        <MenuItem onSelect={() => actions.remember(message)}>
          <Bookmark className="icon s" />
          {t("remember")}
        </MenuItem>
        {written && (
          <MenuItem onSelect={() => actions.see(message)}>
            <ScanEye className="icon s" />
            {t("saw", { name: character })}
          </MenuItem>
        )}
        {message.parentId !== null && (
          <MenuItem disabled={locked !== null} onSelect={() => actions.remove(message)}>
            <Trash2 className="icon s" />
            {t("delete")}
          </MenuItem>
        )}
      </Menu>
    </span>
  );
}
