import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { UserRound } from "lucide-react";
import { useState } from "react";
import type { HeldCharacter } from "@/shared/api/types";
import { ago } from "@/shared/format";
import { sized } from "@/shared/media";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { heldOneOptions, heldOptions, useDecideHeld } from "../api";
import { useMessages } from "../i18n";
import en from "../i18n/en.json";
import { Queue } from "./Queue";
import { Verdict } from "./Verdict";

const isField = (field: string): field is keyof typeof en.field => Object.hasOwn(en.field, field);

/** Every text with the name of its field; one that is not known stays as it came. */
function Texts({ texts }: Pick<HeldCharacter, "texts">) {
  const t = useMessages("field");
  return (
    <dl>
      {texts.map(({ field, text }) => (
        <div key={`${field} ${text}`}>
          <dt>{isField(field) ? t(field) : field}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Held({ held }: { held: HeldCharacter }) {
  const t = useMessages("held");
  const queue = useMessages("queue");
  const decide = useDecideHeld();
  const [open, setOpen] = useState(false);
  // Long ones come cut: nobody decides about what they have not seen.
  const whole = useQuery({ ...heldOneOptions(held._id), enabled: open && held.digest === null });
  const { texts, digest } = whole.data?.character ?? held;
  const { name } = held;
  return (
    <article className="panel held-one" aria-labelledby={`held-${held._id}`}>
      <div className="held-art">
        {held.imageUrl ? (
          <img
            src={sized(held.imageUrl, "card")}
            alt={t("portrait", { name })}
            width={480}
            height={640}
            loading="lazy"
          />
        ) : (
          <UserRound className="icon l" strokeWidth={1} />
        )}
      </div>
      <div className="held-text">
        <h2 id={`held-${held._id}`}>{name}</h2>
        <p className="held-meta">
          <Link className="link" to={paths.creator(held.creator.username)}>
            @{held.creator.username}
          </Link>
          <span>{queue("came", { when: ago(held.since) })}</span>
          <span>{held.public ? t("public") : t("private")}</span>
          {held.nsfw && <span>{t("nsfw")}</span>}
        </p>
        <p>
          {held.because} <code className="held-rule">{held.rule}</code>
        </p>
        <details className="held-all" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{digest === null ? t("unread") : t("all", { count: texts.length })}</summary>
          <Texts texts={texts} />
        </details>
        <Verdict
          id={held._id}
          words={{
            approve: t("approve", { name }),
            no: t("remove"),
            refuse: t("removeName", { name }),
            ask: t("ask", { name }),
          }}
          busy={decide.isPending || digest === null}
          onDecide={(decision) => decide.mutate({ ...decision, digest: digest ?? "" })}
        />
      </div>
    </article>
  );
}

export function HeldCharacters() {
  const list = useInfiniteQuery(heldOptions);
  return (
    <Queue list={list} total={list.data?.pages[0]?.total} what="characters">
      {list.data?.pages
        .flatMap((page) => page.characters)
        .map((held) => (
          <Held key={held._id} held={held} />
        ))}
    </Queue>
  );
}
