import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { Block } from "@/shared/api/types";
import { useSetBlock } from "@/shared/blocking";
import { blocksOptions } from "@/shared/blocks";
import { TAGS, tagName } from "@/shared/catalog/tags";
import { useKeptFocus } from "@/shared/hooks/useKeptFocus";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { useTitle } from "@/shared/hooks/useTitle";
import { MIN_LOADING_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { toast } from "@/shared/toast";
import { BackLink, Button, Failure, SelectField } from "@/shared/ui";
import { messages, useMessages } from "../i18n";
import "../blocks.css";

const GROUPS = [
  { kind: "creator", title: "people", empty: "noPeople" },
  { kind: "character", title: "characters", empty: "noCharacters" },
  { kind: "tag", title: "tags", empty: "noTags" },
] as const;

const labelOf = ({ kind, label, target }: Block) =>
  kind === "tag" ? tagName(target) : label || messages("blocks")("gone");

/** Where the name leads, for a look before one decides. */
function hrefOf({ kind, label, target }: Block): string | null {
  if (kind === "tag") return paths.tag(target);
  if (label === "") return null;
  return kind === "creator" ? paths.creator(label) : paths.character(target);
}

function BlockItem({ block, onEnd }: { block: Block; onEnd: () => void }) {
  const t = useMessages("blocks");
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
      <Button size="small" aria-label={t("unblockName", { name: labelOf(block) })} onClick={onEnd}>
        {t("unblock")}
      </Button>
    </li>
  );
}

/** A tag to keep out of every list. */
function BlockTag({ blocked, onBlock }: { blocked: readonly string[]; onBlock: (tag: string) => void }) {
  const t = useMessages("blocks");
  const [tag, setTag] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onBlock(tag);
    setTag("");
  };
  return (
    <form className="block-tag" onSubmit={submit}>
      <SelectField
        label={t("blockTag")}
        placeholder={t("chooseTag")}
        value={tag}
        onChange={(event) => setTag(event.target.value)}
        options={TAGS.filter((slug) => !blocked.includes(slug)).map((slug) => ({
          value: slug,
          label: tagName(slug),
        }))}
      />
      <Button type="submit" disabled={tag === ""}>
        {t("block")}
      </Button>
    </form>
  );
}

function Lists() {
  const t = useMessages("blocks");
  const { data: blocks, isPending, error, refetch } = useQuery(blocksOptions);
  const loading = useMinLoading(isPending, MIN_LOADING_MS);
  const set = useSetBlock();
  const box = useRef<HTMLDivElement>(null);
  useKeptFocus(box, `${blocks?.length}`);
  const end = (block: Block) =>
    set.mutateAsync({ block, on: false }).then(
      () => toast.undo(t("unblocked", { name: labelOf(block) }), () => set.mutate({ block, on: true })),
      // What went wrong has been said.
      () => undefined,
    );
  if (loading) {
    return (
      <div className="block-lists" role="status" aria-label={t("loading")}>
        {GROUPS.map(({ kind }) => (
          <span className="bone block-bone" key={kind} />
        ))}
      </div>
    );
  }
  if (!blocks) {
    return <Failure message={messageOf(error, t("failed"))} onRetry={() => void refetch()} />;
  }
  return (
    <div className="block-lists" ref={box} tabIndex={-1}>
      {GROUPS.map(({ kind, title, empty }) => {
        const group = blocks.filter((block) => block.kind === kind);
        return (
          <section key={kind} aria-labelledby={`blocked-${kind}`}>
            <h2 id={`blocked-${kind}`}>{t(title)}</h2>
            {group.length === 0 ? (
              <p className="text-2">{t(empty)}</p>
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
  const t = useMessages("blocks");
  useTitle(t("title"));
  return (
    <>
      <header className="page-head">
        <BackLink to={paths.accountTab("account")}>{t("account")}</BackLink>
        <h1>{t("title")}</h1>
        <p>{t("lead")}</p>
      </header>
      <Lists />
    </>
  );
}
