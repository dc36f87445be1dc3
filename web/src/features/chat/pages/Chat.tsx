import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { useParams, useSearchParams } from "react-router";
import { ApiError } from "@/shared/api/errors";
import type { ChatPage, Message } from "@/shared/api/types";
import { gelStyle } from "@/shared/gel";
import { useTitle } from "@/shared/hooks/useTitle";
import { FREE_CHAT_MESSAGES } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { isFree } from "@/shared/session";
import { useUser } from "@/shared/store";
import { ButtonLink, Dialog, Failure } from "@/shared/ui";
import { chatOptions } from "../api";
import { AiNotice } from "../components/AiNotice";
import { ClearDialog, SubscribeDialog } from "../components/ChatDialogs";
import { Composer } from "../components/Composer";
import { Lines } from "../components/Lines";
import { MemoryDialog } from "../components/MemoryDialog";
import { MiniRail } from "../components/MiniRail";
import { PersonaMenu } from "../components/PersonaMenu";
import { Programme } from "../components/Programme";
import { PromptDialog } from "../components/PromptDialog";
import { SamplingDialog } from "../components/SamplingDialog";
import { TalkHead } from "../components/TalkHead";
import { HELP_REASON } from "../conversation";
import { callName } from "../prose";
import { TurnActionsProvider } from "../turnActions";
import { useBranches } from "../useBranches";
import { useConversation } from "../useConversation";
import { useNewChat } from "../useNewChat";
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

/** An engine wrote it, and has a prompt of it to show. */
const isWritten = ({ generationId, state, reason }: Message) =>
  generationId !== null && state !== "streaming" && reason !== HELP_REASON;

/** What is open beside the talk. */
type Panel =
  | "programme"
  | "subscribe"
  | "clear"
  | "sampling"
  | { memories: string }
  | { sees: string | null };

function Talk({ page, at }: { page: ChatPage; at: string | null }) {
  const user = useUser();
  const { character, chatId } = page;
  const [panel, setPanel] = useState<Panel | null>(null);
  const close = useCallback(() => setPanel(null), []);
  const subscribe = useCallback(() => setPanel("subscribe"), []);
  const onNew = useNewChat(character._id);
  const [persona, setPersona] = useState(() => user?.personas?.find((p) => p.default)?.id);
  const controls = useConversation(page, subscribe);
  const { conversation, send, proceed, stop, clear, unclear } = controls;
  const { live, messages } = conversation;

  const personas = user?.personas ?? [];
  const self = user?.username ?? "You";
  const own = personas.find((p) => p.id === persona)?.name ?? self;
  // Without a role the server takes the default persona, so playing oneself has to be said.
  const role =
    persona ?? (personas.some((p) => p.default) ? { name: self, description: "", gender: "" } : undefined);
  const speaker = callName(character.name);
  const mayAsk = () => {
    const over = isFree(user) && messages.length > FREE_CHAT_MESSAGES;
    if (over) subscribe();
    return !over;
  };

  const { actions, jumpTo, spot } = useBranches({
    chatId,
    controls,
    role,
    mayAsk,
    onSee: useCallback((message: Message) => setPanel({ sees: message._id }), []),
    onRemember: useCallback(() => setPanel({ memories: "" }), []),
  });
  useEffect(() => {
    if (at) void jumpTo(at);
  }, [at, jumpTo]);

  const replyId = messages.findLast(isWritten)?._id ?? null;
  // The path may have changed since the server counted.
  const usage = page.hasEarlier ? controls.usage : { ...controls.usage, pathMessages: messages.length };
  const onProceed = () => {
    const last = messages.at(-1);
    if (last?.senderType === "user") actions.again(last);
    else if (mayAsk()) void proceed(role);
  };
  const onMemories = () => setPanel({ memories: "" });
  const onSees = () => setPanel({ sees: replyId });
  const sheet = <Programme {...{ page, speaker, own, replyId, onMemories, onSees }} />;

  return (
    <>
      <main className="talk" id="main" tabIndex={-1}>
        <TalkHead
          page={page}
          speaker={speaker}
          onProgramme={() => setPanel("programme")}
          tools={{
            onNew,
            onMemories,
            onSees,
            onSampling: () => setPanel("sampling"),
            onClear: () => setPanel("clear"),
            onUnclear: live ? null : unclear && (() => void unclear()),
          }}
        />
        <AiNotice page={page} speaker={speaker} />
        <TurnActionsProvider value={actions}>
          <Lines
            conversation={conversation}
            speaker={speaker}
            own={own}
            portrait={character.imageUrl}
            onProceed={onProceed}
            spot={spot}
          />
        </TurnActionsProvider>
        <Composer
          live={live !== null}
          stopDisabled={!live?.generationId || live.phase === "stopping"}
          onStop={() => void stop()}
          onSend={async (content) => mayAsk() && send(content, role)}
          usage={usage}
          persona={<PersonaMenu personas={personas} chosen={persona} self={self} onChoose={setPersona} />}
        />
      </main>
      <aside className="programme" aria-label="About this scene">
        {sheet}
      </aside>
      <Dialog
        open={panel === "programme"}
        onClose={close}
        title="About this scene"
        closable
        className="programme-sheet"
      >
        {sheet}
      </Dialog>
      <SubscribeDialog open={panel === "subscribe"} onClose={close} />
      <ClearDialog open={panel === "clear"} onClose={close} onClear={clear} />
      {panel === "sampling" && <SamplingDialog chatId={chatId} onClose={close} onSubscribe={subscribe} />}
      {panel !== null && typeof panel === "object" && "memories" in panel && (
        <MemoryDialog
          chatId={chatId}
          character={speaker}
          draft={panel.memories}
          onClose={close}
          onJump={(id) => {
            close();
            void jumpTo(id);
          }}
        />
      )}
      {panel !== null && typeof panel === "object" && "sees" in panel && (
        <PromptDialog
          chatId={chatId}
          messageId={panel.sees}
          persona={persona}
          character={speaker}
          own={own}
          onClose={close}
        />
      )}
    </>
  );
}

export default function Chat() {
  const id = useParams().id ?? "";
  const [search] = useSearchParams();
  const { data: page, isPending, error, refetch } = useQuery(chatOptions(id, search.get("chat")));
  useTitle(page && `${page.character.name}, chat`);
  const absent = error instanceof ApiError && error.status === 404;
  return (
    <div className="chat" style={gelStyle(page?.character.gel)}>
      <MiniRail chatId={page?.chatId} />
      {isPending ? (
        <TalkSkeleton />
      ) : page ? (
        <Talk key={page.chatId} page={page} at={search.get("at")} />
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
