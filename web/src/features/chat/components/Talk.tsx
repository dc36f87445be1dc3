import { useCallback, useEffect, useState } from "react";
import type { ChatPage, Message } from "@/shared/api/types";
import { FREE_CHAT_MESSAGES } from "@/shared/limits";
import { isFree } from "@/shared/session";
import { useUser } from "@/shared/store";
import { HELP_REASON, hasEarlier } from "../conversation";
import { useMessages } from "../i18n";
import { callName } from "../prose";
import { TurnActionsProvider } from "../turnActions";
import { useBranches } from "../useBranches";
import { useConversation } from "../useConversation";
import { useNewChat } from "../useNewChat";
import { AiNotice } from "./AiNotice";
import { Announcer } from "./Announcer";
import { Composer } from "./Composer";
import { FindBar } from "./FindBar";
import { Lines } from "./Lines";
import { PersonaMenu } from "./PersonaMenu";
import { Programme } from "./Programme";
import { TalkHead } from "./TalkHead";
import { type Panel, TalkPanels } from "./TalkPanels";

/** An engine wrote it, and has a prompt of it to show. */
const isWritten = ({ generationId, state, reason }: Message) =>
  generationId !== null && state !== "streaming" && reason !== HELP_REASON;

const isOwn = ({ senderType }: Message) => senderType === "user";

interface TalkProps {
  page: ChatPage;
  /** A message to open at. */
  at: string | null;
}

/** A chat with all that stands around it. */
export function Talk({ page, at }: TalkProps) {
  const t = useMessages("talk");
  const about = useMessages("scene")("about");
  const user = useUser();
  const { character, chatId } = page;
  const [panel, setPanel] = useState<Panel | null>(null);
  const close = useCallback(() => setPanel(null), []);
  const subscribe = useCallback(() => setPanel("subscribe"), []);
  const [finding, setFinding] = useState(false);
  const [words, setWords] = useState("");
  const onNew = useNewChat(character._id);
  const [persona, setPersona] = useState(() => user?.personas?.find((p) => p.default)?.id);
  const controls = useConversation(page, subscribe);
  const { conversation, send, proceed, stop, clear, unclear, readAll } = controls;
  const { live, messages } = conversation;

  const personas = user?.personas ?? [];
  const self = user?.username ?? t("self");
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
    onRemember: useCallback(() => setPanel("memories"), []),
  });
  useEffect(() => {
    if (at) void jumpTo(at);
  }, [at, jumpTo]);

  const onFound = useCallback((id: string) => void jumpTo(id, { focus: false }), [jumpTo]);

  const replyId = messages.findLast(isWritten)?._id ?? null;
  // The path may have changed since the server counted.
  const usage = hasEarlier(messages) ? controls.usage : { ...controls.usage, pathMessages: messages.length };
  const onProceed = () => {
    const last = messages.at(-1);
    if (last?.senderType === "user") actions.again(last);
    else if (mayAsk()) void proceed(role);
  };
  const onMemories = () => setPanel("memories");
  const onSees = () => setPanel({ sees: replyId });
  const programme = <Programme {...{ page, speaker, own, replyId, onMemories, onSees }} />;

  return (
    <>
      <main className="talk" id="main" tabIndex={-1}>
        <TalkHead
          page={page}
          speaker={speaker}
          onProgramme={() => setPanel("programme")}
          tools={{
            onNew,
            onFind: () => setFinding(true),
            onBranches: () => setPanel("branches"),
            onExport: () => setPanel("export"),
            onMemories,
            onSees,
            onSampling: () => setPanel("sampling"),
            onClear: () => setPanel("clear"),
            onUnclear: live ? null : unclear && (() => void unclear()),
          }}
        />
        <div>
          {finding && (
            <FindBar
              messages={messages}
              onReadAll={readAll}
              onWords={setWords}
              onJump={onFound}
              onClose={() => {
                setFinding(false);
                document.getElementById("say")?.focus();
              }}
            />
          )}
          <AiNotice page={page} speaker={speaker} spoken={messages.some(isOwn)} />
        </div>
        <Announcer conversation={conversation} speaker={speaker} />
        <TurnActionsProvider value={actions}>
          <Lines
            conversation={conversation}
            speaker={speaker}
            own={own}
            portrait={character.imageUrl}
            onProceed={onProceed}
            onEarlier={controls.earlier}
            spot={spot}
            marks={words}
          />
        </TurnActionsProvider>
        <Composer
          chatId={chatId}
          live={live !== null}
          stopDisabled={!live?.generationId || live.phase === "stopping"}
          onStop={() => void stop()}
          onSend={async (content) => mayAsk() && send(content, role)}
          usage={usage}
          persona={<PersonaMenu personas={personas} chosen={persona} self={self} onChoose={setPersona} />}
        />
      </main>
      <aside className="programme" aria-label={about}>
        {programme}
      </aside>
      <TalkPanels
        {...{ panel, chatId, own, persona, programme }}
        character={speaker}
        onClose={close}
        onClear={clear}
        onSubscribe={subscribe}
        onGo={(messageId, to) => void jumpTo(messageId, to)}
      />
    </>
  );
}
