import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { PromptBlock, PromptManifest } from "@/shared/api/types";
import { plural } from "@/shared/format";
import { Dialog, Failure, Segmented } from "@/shared/ui";
import { manifestOptions, nextPromptOptions } from "../api";
import { blockNote, entryNote, warningOf } from "../manifest";
import { TokenBar, TokenCount } from "./TokenBar";

function Entries({ block }: { block: PromptBlock }) {
  if (block.entries.length === 0) return null;
  const lore = block.block.startsWith("lore");
  return (
    <details className="sees-more">
      <summary>
        {lore
          ? plural(block.entries.length, "entry", "entries")
          : plural(block.entries.length, "memory", "memories")}
      </summary>
      <ul>
        {block.entries.map((entry, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a lorebook's id comes once for each of its entries.
          <li key={`${entry.id}-${at}`} className={entry.included ? undefined : "out"}>
            {entry.title && <b>{entry.title}</b>}
            <span>{entry.text ?? "Gone, or not yours to read."}</span>
            <small className="num">
              {entryNote(entry) ?? `${entry.tokens.toLocaleString("en-GB")} tokens`}
            </small>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Block({ block }: { block: PromptBlock }) {
  const note = blockNote(block);
  return (
    <li className={block.included ? "sees-block" : "sees-block out"}>
      <b>{block.title}</b>
      <span className="num">{block.included ? block.tokens.toLocaleString("en-GB") : "–"}</span>
      {note && <small>{note}</small>}
      <Entries block={block} />
    </li>
  );
}

function Sheet({ manifest, character, own }: { manifest: PromptManifest; character: string; own: string }) {
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
        {manifest.reply.toLocaleString("en-GB")} tokens are kept for the reply.
        {prefixTokens !== null &&
          tokens > 0 &&
          ` ${Math.round((prefixTokens / tokens) * 100)}% is as it was a turn before.`}
        {manifest.estimated && " The counts are estimates: this model's own way of counting is not known."}
        {absent.length > 0 && ` Nothing to tell: ${absent.map((b) => b.title.toLowerCase()).join(", ")}.`}
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
  const [view, setView] = useState<"reply" | "next">(messageId ? "reply" : "next");
  const reply = useQuery({ ...manifestOptions(chatId, messageId ?? ""), enabled: view === "reply" });
  const next = useQuery({ ...nextPromptOptions(chatId, persona), enabled: view === "next" });
  const { data, error, isPending, refetch } = view === "reply" ? reply : next;
  return (
    <Dialog open onClose={onClose} title={`What ${character} sees`} closable className="room sees-dialog">
      {messageId && (
        <Segmented
          label="Which prompt"
          value={view}
          onChange={setView}
          options={[
            { value: "reply", label: "For this reply" },
            { value: "next", label: "For the next" },
          ]}
        />
      )}
      {data ? (
        <Sheet manifest={data} character={character} own={own} />
      ) : isPending ? (
        <div className="sees-wait skeleton" role="status" aria-label="Loading">
          <span className="bone w-92" />
          <span className="bone w-92" />
          <span className="bone w-60" />
        </div>
      ) : (
        <Failure
          message={messageOf(error, "That could not be read. Please try again.")}
          onRetry={() => void refetch()}
        />
      )}
    </Dialog>
  );
}
