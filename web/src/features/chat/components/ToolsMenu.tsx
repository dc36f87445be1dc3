import {
  Bookmark,
  Download,
  Ellipsis,
  Eraser,
  GitFork,
  MessageCirclePlus,
  PanelRight,
  ScanEye,
  Search,
  Share2,
  ShieldCheck,
  SlidersHorizontal,
  Undo2,
} from "lucide-react";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { isFree } from "@/shared/session";
import { useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { IconButton, Menu, MenuItem } from "@/shared/ui";
import { ON_THE_WAY } from "./Composer";

const IN_CHAT = { lifeMs: CHAT_TOAST_MS, draggable: true };
const FREE_REFUSED = "Free users can not use these options";

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
  const user = useUser();
  const paid = (tool: () => void) => () => (isFree(user) ? void toast.info(FREE_REFUSED, IN_CHAT) : tool());
  return (
    <Menu
      trigger={
        <IconButton label="Chat tools">
          <Ellipsis className="icon" />
        </IconButton>
      }
    >
      <MenuItem onSelect={tools.onNew}>
        <MessageCirclePlus className="icon s" />
        New chat with {speaker}
      </MenuItem>
      <MenuItem onSelect={tools.onFind}>
        <Search className="icon s" />
        Find in this chat
      </MenuItem>
      <MenuItem onSelect={tools.onBranches}>
        <GitFork className="icon s" />
        Branches
      </MenuItem>
      <MenuItem onSelect={tools.onExport}>
        <Download className="icon s" />
        Export
      </MenuItem>
      <hr className="menu-line" />
      <MenuItem onSelect={tools.onMemories}>
        <Bookmark className="icon s" />
        What {speaker} remembers
      </MenuItem>
      <MenuItem onSelect={tools.onSees}>
        <ScanEye className="icon s" />
        What {speaker} sees
      </MenuItem>
      <MenuItem onSelect={tools.onSampling}>
        <SlidersHorizontal className="icon s" />
        How replies are written
      </MenuItem>
      <hr className="menu-line" />
      <MenuItem onSelect={paid(tools.onClear)}>
        <Eraser className="icon s" />
        Clear Chat
      </MenuItem>
      {tools.onUnclear && (
        <MenuItem onSelect={tools.onUnclear}>
          <Undo2 className="icon s" />
          Bring back what was cleared
        </MenuItem>
      )}
      <MenuItem onSelect={paid(() => toast.info(ON_THE_WAY, IN_CHAT))}>
        <Share2 className="icon s" />
        Share Chat
      </MenuItem>
      <div className="only-s">
        <MenuItem onSelect={onProgramme}>
          <PanelRight className="icon s" />
          About this scene
        </MenuItem>
        <MenuItem onSelect={nsfw.toggle}>
          <ShieldCheck className="icon s" />
          {nsfw.on ? "Turn NSFW off" : "Turn NSFW on"}
        </MenuItem>
      </div>
    </Menu>
  );
}
