import { useQuery } from "@tanstack/react-query";
import { ChevronLeft } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { Link } from "react-router";
import { messageOf } from "@/shared/api/errors";
import type { Block } from "@/shared/api/types";
import { blocksOptions, useSetBlock } from "@/shared/blocks";
import { TAGS, tagName } from "@/shared/catalog/tags";
import { useKeptFocus } from "@/shared/hooks/useKeptFocus";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { MIN_LOADING_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { toast } from "@/shared/toast";
import { Button, Failure, SelectField } from "@/shared/ui";
import "../blocks.css";

const GROUPS = [
  {
    kind: "creator",
    title: "People",
    empty: "Nobody is blocked. The menu of a card blocks its creator.",
  },
  {
    kind: "character",
    title: "Characters",
    empty: "No character is blocked. The menu of a card does it.",
  },
  { kind: "tag", title: "Tags", empty: "No tag is blocked." },
] as const;

const labelOf = ({ kind, label, target }: Block) =>
  kind === "tag" ? tagName(target) : label || "Somebody who is gone";

/** Where the name leads, for a look before one decides. */
function hrefOf({ kind, label, target }: Block): string | null {
  if (kind === "tag") return paths.tag(target);
  if (label === "") return null;
  return kind === "creator" ? paths.creator(label) : paths.character(target);
}

function BlockItem({ block, onEnd }: { block: Block; onEnd: () => void }) {
  const href = hrefOf(block);
  return (
    <li className="blocked">
      {href ? (
        <Link className="plain-link" to={href}>
          {labelOf(block)}
        </Link>
      ) : (
        <span className="text-3">{labelOf(block)}</span>
      )}
      <Button size="small" aria-label={`Unblock ${labelOf(block)}`} onClick={onEnd}>
        Unblock
      </Button>
    </li>
  );
}

/** A tag to keep out of every list. */
function BlockTag({ blocked, onBlock }: { blocked: readonly string[]; onBlock: (tag: string) => void }) {
  const [tag, setTag] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onBlock(tag);
    setTag("");
  };
  return (
    <form className="block-tag" onSubmit={submit}>
      <SelectField
        label="Block a tag"
        placeholder="Choose a tag"
        value={tag}
        onChange={(event) => setTag(event.target.value)}
        options={TAGS.filter((slug) => !blocked.includes(slug)).map((slug) => ({
          value: slug,
          label: tagName(slug),
        }))}
      />
      <Button type="submit" disabled={tag === ""}>
        Block
      </Button>
    </form>
  );
}

function Lists() {
  const { data: blocks, isPending, error, refetch } = useQuery(blocksOptions);
  const loading = useMinLoading(isPending, MIN_LOADING_MS);
  const set = useSetBlock();
  const box = useRef<HTMLDivElement>(null);
  useKeptFocus(box, `${blocks?.length}`);
  const end = (block: Block) =>
    set.mutateAsync({ block, on: false }).then(
      () => toast.undo(`${labelOf(block)} is no longer blocked.`, () => set.mutate({ block, on: true })),
      // What went wrong has been said.
      () => undefined,
    );
  if (loading) {
    return (
      <div className="block-lists" role="status" aria-label="Loading your block list">
        {GROUPS.map(({ kind }) => (
          <span className="bone block-bone" key={kind} />
        ))}
      </div>
    );
  }
  if (!blocks) {
    return (
      <Failure
        message={messageOf(error, "Failed to load your block list. Please try again.")}
        onRetry={() => void refetch()}
      />
    );
  }
  return (
    <div className="block-lists" ref={box} tabIndex={-1}>
      {GROUPS.map(({ kind, title, empty }) => {
        const group = blocks.filter((block) => block.kind === kind);
        return (
          <section key={kind} aria-labelledby={`blocked-${kind}`}>
            <h2 id={`blocked-${kind}`}>{title}</h2>
            {group.length === 0 ? (
              <p className="text-2">{empty}</p>
            ) : (
              <ul>
                {group.map((block) => (
                  <BlockItem key={block.target} block={block} onEnd={() => void end(block)} />
                ))}
              </ul>
            )}
            {kind === "tag" && (
              <BlockTag
                blocked={group.map((block) => block.target)}
                onBlock={(target) =>
                  set.mutate({ block: { kind, target, label: tagName(target) }, on: true })
                }
              />
            )}
          </section>
        );
      })}
    </div>
  );
}

export default function Blocks() {
  return (
    <>
      <Link className="back link" to={paths.accountTab("account")}>
        <ChevronLeft className="icon s" />
        Account
      </Link>
      <header className="page-head">
        <h1>Block list</h1>
        <p>What stands here is left out of every list you see. Nobody is told.</p>
      </header>
      <Lists />
    </>
  );
}
