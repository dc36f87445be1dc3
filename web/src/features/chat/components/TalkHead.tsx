import { ChevronDown, ChevronLeft, Ellipsis, Eraser, PanelRight, Share2, ShieldCheck } from "lucide-react";
import { Link } from "react-router";
import type { ChatPage } from "@/shared/api/types";
import { CHAT_TOAST_MS } from "@/shared/limits";
import { turnNsfwOff, useAgeQuestion } from "@/shared/nsfw";
import { paths } from "@/shared/paths";
import { isFree } from "@/shared/session";
import { useRoot, useUser } from "@/shared/store";
import { toast } from "@/shared/toast";
import { IconButton, Menu, MenuItem, Switch } from "@/shared/ui";
import { ON_THE_WAY } from "./Composer";
import { Tile } from "./Turn";

const IN_CHAT = { lifeMs: CHAT_TOAST_MS, draggable: true };
const FREE_REFUSED = "Free users can not use these options";

function useNsfw() {
  const on = useRoot((state) => state.nsfw);
  const ask = useAgeQuestion((state) => state.ask);
  return { on, toggle: () => (on ? void turnNsfwOff() : ask()) };
}

interface TalkHeadProps {
  character: ChatPage["character"];
  onProgramme: () => void;
  onClear: () => void;
}

export function TalkHead({ character, onProgramme, onClear }: TalkHeadProps) {
  const user = useUser();
  const nsfw = useNsfw();
  const paid = (tool: () => void) => () => (isFree(user) ? void toast.info(FREE_REFUSED, IN_CHAT) : tool());
  return (
    <header className="talk-head">
      <Link className="icon-btn only-s" to={paths.chats} aria-label="Back to chats">
        <ChevronLeft className="icon l" />
      </Link>
      <Tile src={character.imageUrl} />
      <div className="talk-who">
        <h1 className="name">
          <Link className="plain-link" to={paths.character(character._id)}>
            {character.name}
          </Link>
        </h1>
        <span className="by">
          by{" "}
          <Link className="plain-link" to={paths.creator(character.creator.username)}>
            @{character.creator.username}
          </Link>
        </span>
      </div>
      <div className="end">
        <span className="hide-s">
          <Switch checked={nsfw.on} onChange={nsfw.toggle}>
            NSFW
          </Switch>
        </span>
        <IconButton className="show-programme" label="About this scene" onClick={onProgramme}>
          <PanelRight className="icon" />
        </IconButton>
        <Menu
          trigger={
            <IconButton label="Chat tools">
              <Ellipsis className="icon" />
            </IconButton>
          }
        >
          <MenuItem onSelect={paid(onClear)}>
            <Eraser className="icon s" />
            Clear Chat
          </MenuItem>
          <MenuItem onSelect={paid(() => toast.info(ON_THE_WAY, IN_CHAT))}>
            <Share2 className="icon s" />
            Share Chat
          </MenuItem>
          <div className="only-s">
            <MenuItem onSelect={nsfw.toggle}>
              <ShieldCheck className="icon s" />
              {nsfw.on ? "Turn NSFW off" : "Turn NSFW on"}
            </MenuItem>
          </div>
        </Menu>
      </div>
    </header>
  );
}

interface NoticeProps {
  speaker: string;
  engine: ChatPage["engine"];
}

/** Always there, under the header: an AI speaks, and what that means for the reader. */
export function AiNotice({ speaker, engine }: NoticeProps) {
  return (
    <details className="safe">
      <summary>
        <ShieldCheck className="icon s" />
        <span>{speaker} is an AI. This is fiction.</span>
        {engine.offline && <span className="badge">Offline engine</span>}
        <ChevronDown className="icon s" />
      </summary>
      <p>
        Replies are written by a model and can be wrong. Never share anything you would not tell a stranger.
        If you are in distress, please talk to a person.
        {engine.offline &&
          ` Right now the house plays with its offline engine (${engine.name}): it improvises from the character's card, without a language model.`}
      </p>
    </details>
  );
}
