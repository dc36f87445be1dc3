import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { PromptBlock, PromptManifest } from "@/shared/api/types";
import { Dialog, Failure, Segmented } from "@/shared/ui";
import { manifestOptions, nextPromptOptions } from "../api";
import { useMessages } from "../i18n";
import { blockNote, entryNote, titleOf, warningOf } from "../manifest";
import { useTimes } from "../useTimes";
import { TokenBar, TokenCount } from "./TokenBar";

function Entries({ block }: { block: PromptBlock }) {
  const t = useMessages("sees");
  if (block.entries.length === 0) return null;
  const lore = block.block.startsWith("lore");
  return (
    <details className="sees-more">
      <summary>{t(lore ? "entries" : "memories", { count: block.entries.length })}</summary>
      <ul>
        {block.entries.map((entry, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a lorebook's id comes once for each of its entries.
          <li key={`${entry.id}-${at}`} className={entry.included ? undefined : "out"}>
            {entry.title && <b>{entry.title}</b>}
            <span>{entry.text ?? t("goneEntry")}</span>
            <small className="num">{entryNote(entry) ?? t("tokens", { count: entry.tokens })}</small>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Block({ block }: { block: PromptBlock }) {
  const { count } = useTimes();
  const note = blockNote(block);
  return (
    <li className={block.included ? "sees-block" : "sees-block out"}>
      <b>{titleOf(block)}</b>
      <span className="num">{block.included ? count(block.tokens) : "–"}</span>
      {note && <small>{note}</small>}
      <Entries block={block} />
    </li>
  );
}

function Sheet({ manifest, character, own }: { manifest: PromptManifest; character: string; own: string }) {
  const t = useMessages("sees");
  const there = manifest.blocks.filter((block) => block.why !== "absent");
  const absent = manifest.blocks.filter((block) => block.why === "absent");
  const { prefixTokens, tokens } = manifest;
  return (
    <>
      <p className="sees-head">
        <b>{manifest.model || manifest.engine}</b>
        <TokenCount manifest={manifest} />
      </p>
      <TokenBar manifest={manifest} character={character} own={own} />
      {manifest.warnings.map(warningOf).map(
        (warning) =>
          warning && (
            <p className="note" key={warning}>
              {warning}
            </p>
          ),
      )}
      <ol className="sees-blocks">
        {there.map((block) => (
          <Block key={block.block} block={block} />
        ))}
      </ol>
      <p className="hint num">
        {[
          t("kept", { count: manifest.reply }),
          prefixTokens !== null &&
            tokens > 0 &&
            t("asBefore", { percent: Math.round((prefixTokens / tokens) * 100) }),
          manifest.estimated && t("estimates"),
          absent.length > 0 &&
            t("absentParts", { parts: absent.map((block) => titleOf(block).toLowerCase()).join(", ") }),
        ]
          .filter(Boolean)
          .join(" ")}
      </p>
    </>
  );
}

interface PromptDialogProps {
  chatId: string;
  /** The reply in question; null: only the next turn. */
  messageId: string | null;
  persona: string | undefined;
  character: string;
  own: string;
  onClose: () => void;
}

/** What the character sees: of one reply, and of the turn that would be next. */
export function PromptDialog({ chatId, messageId, persona, character, own, onClose }: PromptDialogProps) {
  const t = useMessages("sees");
  const waiting = useMessages("talk")("waiting");
  const title = useMessages("scene")("sees", { name: character });
  const [view, setView] = useState<"reply" | "next">(messageId ? "reply" : "next");
  const reply = useQuery({ ...manifestOptions(chatId, messageId ?? ""), enabled: view === "reply" });
  const next = useQuery({ ...nextPromptOptions(chatId, persona), enabled: view === "next" });
  const { data, error, isPending, refetch } = view === "reply" ? reply : next;
  return (
    <Dialog open onClose={onClose} title={title} closable className="room sees-dialog">
      {messageId && (
        <Segmented
          label={t("which")}
          value={view}
          onChange={setView}
          options={[
            { value: "reply", label: t("thisReply") },
            { value: "next", label: t("next") },
          ]}
        />
      )}
      {data ? (
        <Sheet manifest={data} character={character} own={own} />
      ) : isPending ? (
        <div className="sees-wait skeleton" role="status" aria-label={waiting}>
          <span className="bone w-92" />
          <span className="bone w-92" />
          <span className="bone w-60" />
        </div>
      ) : (
        <Failure message={messageOf(error, t("failed"))} onRetry={() => void refetch()} />
      )}
    </Dialog>
  );
}
