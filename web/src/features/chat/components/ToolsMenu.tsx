import {
  Bookmark,
  Download,
  Ellipsis,
  Eraser,
  GitFork,
  LogOut,
  MessageCirclePlus,
  Mic,
  PanelRight,
  ScanEye,
  Search,
  Share2,
  ShieldCheck,
  SlidersHorizontal,
  Undo2,
} from "lucide-react";
import { useMessages as useHouseMessages } from "@/shared/i18n";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { useNavigate } from "@/shared/router";
import { isFree } from "@/shared/session";
import { signOut } from "@/shared/signOut";
import { useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { IconButton, Menu, MenuItem } from "@/shared/ui";
import { useMessages } from "../i18n";
import { tellSoon } from "./Composer";

const IN_CHAT = { lifeMs: CHAT_TOAST_MS, draggable: true };

export interface ChatTools {
  onNew: () => void;
  onFind: () => void;
  onBranches: () => void;
  onExport: () => void;
  onMemories: () => void;
  onSees: () => void;
  onSampling: () => void;
  onClear: () => void;
  /** Null when nothing was cleared within the last day. */
  onUnclear: (() => void) | null;
}

interface ToolsMenuProps extends ChatTools {
  /** How the character is called. */
  speaker: string;
  nsfw: { on: boolean; toggle: () => void };
  onProgramme: () => void;
}

export function ToolsMenu({ speaker, nsfw, onProgramme, ...tools }: ToolsMenuProps) {
  const t = useMessages("tools");
  const talk = useMessages("talk");
  const scene = useMessages("scene");
  const composer = useMessages("composer");
  const house = useHouseMessages("frame");
  const user = useUser();
  const navigate = useNavigate();
  const paid = (tool: () => void) => () => (isFree(user) ? void toast.info(t("refused"), IN_CHAT) : tool());
  return (
    <Menu
      trigger={
        <IconButton label={t("tools")}>
          <Ellipsis className="icon" />
        </IconButton>
      }
    >
      <MenuItem onSelect={tools.onNew}>
        <MessageCirclePlus className="icon s" />
        {t("newWith", { name: speaker })}
      </MenuItem>
      <MenuItem onSelect={tools.onFind}>
        <Search className="icon s" />
        {talk("find")}
      </MenuItem>
      <MenuItem onSelect={tools.onBranches}>
        <GitFork className="icon s" />
        {t("branches")}
      </MenuItem>
      <MenuItem onSelect={tools.onExport}>
        <Download className="icon s" />
        {t("export")}
      </MenuItem>
      <hr className="menu-line" />
      <MenuItem onSelect={tools.onMemories}>
        <Bookmark className="icon s" />
        {scene("remembers", { name: speaker })}
      </MenuItem>
      <MenuItem onSelect={tools.onSees}>
        <ScanEye className="icon s" />
        {scene("sees", { name: speaker })}
      </MenuItem>
      <MenuItem onSelect={tools.onSampling}>
        <SlidersHorizontal className="icon s" />
        {t("sampling")}
      </MenuItem>
      <hr className="menu-line" />
      <MenuItem onSelect={paid(tools.onClear)}>
        <Eraser className="icon s" />
        {talk("clear")}
      </MenuItem>
      {tools.onUnclear && (
        <MenuItem onSelect={tools.onUnclear}>
          <Undo2 className="icon s" />
          {t("unclear")}
        </MenuItem>
      )}
      <MenuItem onSelect={paid(tellSoon)}>
        <Share2 className="icon s" />
        {t("share")}
      </MenuItem>
      <div className="only-s">
        <MenuItem onSelect={onProgramme}>
          <PanelRight className="icon s" />
          {scene("about")}
        </MenuItem>
        <MenuItem onSelect={nsfw.toggle}>
          <ShieldCheck className="icon s" />
          {t(nsfw.on ? "nsfwOff" : "nsfwOn")}
        </MenuItem>
        <MenuItem onSelect={tellSoon}>
          <Mic className="icon s" />
          {composer("voice")}
        </MenuItem>
        <MenuItem onSelect={() => void signOut(navigate)}>
          <LogOut className="icon s" />
          {house("signOut")}
        </MenuItem>
      </div>
    </Menu>
  );
}
