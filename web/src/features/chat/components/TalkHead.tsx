import { ChevronLeft, PanelRight } from "lucide-react";
import type { ChatPage } from "@/shared/api/types";
import { NSFW_TAG, tagName } from "@/shared/catalog/tags";
import { turnNsfwOff, useAgeQuestion } from "@/shared/nsfw";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { useRoot } from "@/shared/store";
import { IconButton, Switch } from "@/shared/ui";
import { useMessages } from "../i18n";
import { ChatSwitcher } from "./ChatSwitcher";
import { type ChatTools, ToolsMenu } from "./ToolsMenu";
import { Tile } from "./Turn";

function useNsfw() {
  const on = useRoot((state) => state.nsfw);
  const ask = useAgeQuestion((state) => state.ask);
  return { on, toggle: () => (on ? void turnNsfwOff() : ask()) };
}

interface TalkHeadProps {
  page: ChatPage;
  /** How the character is called. */
  speaker: string;
  tools: ChatTools;
  onProgramme: () => void;
}

export function TalkHead({ page, speaker, tools, onProgramme }: TalkHeadProps) {
  const { character } = page;
  const nsfw = useNsfw();
  const t = useMessages("talk");
  const about = useMessages("scene")("about");
  return (
    <header className="talk-head">
      <Link className="icon-btn only-s" to={paths.chats} aria-label={t("backToChats")}>
        <ChevronLeft className="icon l" />
      </Link>
      <Tile src={character.imageUrl} />
      <div className="talk-who">
        <h1 className="name">
          <Link className="plain-link" to={paths.character(character._id)}>
            {character.name}
          </Link>
        </h1>
        <div className="by">
          <span>
            {t.rich("by", {
              creator: () => (
                <Link key="creator" className="plain-link" to={paths.creator(character.creator.username)}>
                  @{character.creator.username}
                </Link>
              ),
            })}
          </span>
          <ChatSwitcher
            chatId={page.chatId}
            characterId={character._id}
            title={page.title}
            onNew={tools.onNew}
          />
        </div>
      </div>
      <div className="end">
        <span className="hide-s">
          <Switch checked={nsfw.on} onChange={nsfw.toggle}>
            {tagName(NSFW_TAG)}
          </Switch>
        </span>
        <IconButton className="show-programme" label={about} onClick={onProgramme}>
          <PanelRight className="icon" />
        </IconButton>
        <ToolsMenu {...tools} speaker={speaker} nsfw={nsfw} onProgramme={onProgramme} />
      </div>
    </header>
  );
}
