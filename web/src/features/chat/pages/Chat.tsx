import { useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { useParams } from "react-router";
import { ApiError } from "@/shared/api/errors";
import type { ChatPage } from "@/shared/api/types";
import { gelStyle } from "@/shared/gel";
import { useTitle } from "@/shared/hooks/useTitle";
import { FREE_CHAT_MESSAGES } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { isFree } from "@/shared/session";
import { useUser } from "@/shared/store";
import { ButtonLink, Dialog, Failure } from "@/shared/ui";
import { chatOptions } from "../api";
import { ClearDialog, SubscribeDialog } from "../components/ChatDialogs";
import { Composer } from "../components/Composer";
import { Lines } from "../components/Lines";
import { MiniRail } from "../components/MiniRail";
import { PersonaMenu } from "../components/PersonaMenu";
import { Programme } from "../components/Programme";
import { AiNotice, TalkHead } from "../components/TalkHead";
import { callName } from "../prose";
import { useConversation } from "../useConversation";
import "../chat.css";

/** The chat while it comes: the shape of what will be there. */
function TalkSkeleton() {
  return (
    <main className="talk" id="main" tabIndex={-1} aria-busy="true">
      <div className="talk-head">
        <span className="tile" />
        <span className="bone talk-bone" />
      </div>
      <div />
      <div className="lines-box">
        <div className="lines" role="status" aria-label="Loading chat">
          <div className="lines-in">
            {["first", "second"].map((key) => (
              <div className="turn skeleton" key={key}>
                <span className="tile" />
                <div className="bubble talk-bones">
                  <span className="bone w-92" />
                  <span className="bone w-92" />
                  <span className="bone w-60" />
                </div>
              </div>
            ))}
          </div>
        </div>
      </div>
    </main>
  );
}

function Talk({ page }: { page: ChatPage }) {
  const user = useUser();
  const { character } = page;
  const [asksToSubscribe, setAsksToSubscribe] = useState(false);
  const [asksToClear, setAsksToClear] = useState(false);
  const [programme, setProgramme] = useState(false);
  const [persona, setPersona] = useState(() => user?.personas?.find((p) => p.default)?.id);
  const subscribe = useCallback(() => setAsksToSubscribe(true), []);
  const { conversation, usage, send, proceed, stop, clear } = useConversation(page, subscribe);
  const { live } = conversation;

  const personas = user?.personas ?? [];
  const self = user?.username ?? "You";
  const own = personas.find((p) => p.id === persona)?.name ?? self;
  // Without a role the server takes the default persona, so playing oneself has to be said.
  const role =
    persona ?? (personas.some((p) => p.default) ? { name: self, description: "", gender: "" } : undefined);
  const speaker = callName(character.name);
  const freeIsOver = () => isFree(user) && conversation.messages.length > FREE_CHAT_MESSAGES;

  const onSend = async (content: string) => {
    if (freeIsOver()) {
      subscribe();
      return false;
    }
    return send(content, role);
  };
  const onProceed = () => (freeIsOver() ? subscribe() : void proceed(role));
  const sheet = <Programme page={page} speaker={speaker} own={own} />;

  return (
    <>
      <main className="talk" id="main" tabIndex={-1}>
        <TalkHead
          character={character}
          onProgramme={() => setProgramme(true)}
          onClear={() => setAsksToClear(true)}
        />
        <AiNotice speaker={speaker} engine={page.engine} />
        <Lines
          conversation={conversation}
          speaker={speaker}
          own={own}
          portrait={character.imageUrl}
          onProceed={onProceed}
        />
        <Composer
          live={live !== null}
          stopDisabled={!live?.generationId || live.phase === "stopping"}
          onStop={() => void stop()}
          onSend={onSend}
          usage={usage}
          persona={<PersonaMenu personas={personas} chosen={persona} self={self} onChoose={setPersona} />}
        />
      </main>
      <aside className="programme" aria-label="About this scene">
        {sheet}
      </aside>
      <Dialog
        open={programme}
        onClose={() => setProgramme(false)}
        title="About this scene"
        closable
        className="programme-sheet"
      >
        {sheet}
      </Dialog>
      <SubscribeDialog open={asksToSubscribe} onClose={() => setAsksToSubscribe(false)} />
      <ClearDialog open={asksToClear} onClose={() => setAsksToClear(false)} onClear={clear} />
    </>
  );
}

export default function Chat() {
  const id = useParams().id ?? "";
  const { data: page, isPending, error, refetch } = useQuery(chatOptions(id));
  useTitle(page && `${page.character.name}, chat`);
  const absent = error instanceof ApiError && error.status === 404;
  return (
    <div className="chat" style={gelStyle(page?.character.gel)}>
      <MiniRail characterId={id} />
      {isPending ? (
        <TalkSkeleton />
      ) : page ? (
        <Talk key={page.chatId} page={page} />
      ) : (
        <main className="talk-closed" id="main" tabIndex={-1}>
          {absent ? (
            <div className="talk-gone">
              <Failure message="Character not found." />
              <ButtonLink to={paths.search}>Search characters</ButtonLink>
            </div>
          ) : (
            <Failure message="Failed to load chat. Please try again." onRetry={() => void refetch()} />
          )}
        </main>
      )}
    </div>
  );
}
