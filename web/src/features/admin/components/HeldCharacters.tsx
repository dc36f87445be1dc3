import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { UserRound } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import type { HeldCharacter } from "@/shared/api/types";
import { ago } from "@/shared/format";
import { sized } from "@/shared/media";
import { paths } from "@/shared/paths";
import { heldOneOptions, heldOptions, useDecideHeld } from "../api";
import { Queue } from "./Queue";
import { Verdict } from "./Verdict";

/** `firstMessage` as people say it: `First message`. */
const fieldName = (field: string) => {
  const words = field.replace(/([A-Z])/g, " $1").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function Held({ held }: { held: HeldCharacter }) {
  const decide = useDecideHeld();
  const [open, setOpen] = useState(false);
  // Long ones come cut: nobody decides about what they have not seen.
  const whole = useQuery({ ...heldOneOptions(held._id), enabled: open && held.digest === null });
  const { texts, digest } = whole.data?.character ?? held;
  return (
    <article className="panel held-one" aria-labelledby={`held-${held._id}`}>
      <div className="held-art">
        {held.imageUrl ? (
          <img
            src={sized(held.imageUrl, "card")}
            alt={`Portrait of ${held.name}`}
            width={480}
            height={640}
            loading="lazy"
          />
        ) : (
          <UserRound className="icon l" strokeWidth={1} />
        )}
      </div>
      <div className="held-text">
        <h2 id={`held-${held._id}`}>{held.name}</h2>
        <p className="held-meta">
          <Link className="link" to={paths.creator(held.creator.username)}>
            @{held.creator.username}
          </Link>
          <span>Came {ago(held.since)}</span>
          <span>{held.public ? "Public" : "Private"}</span>
          {held.nsfw && <span>NSFW</span>}
        </p>
        <p>
          {held.because} <code className="held-rule">{held.rule}</code>
        </p>
        <details className="held-all" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            All that is written
            {digest === null ? ": to be read before it is decided about" : ` (${texts.length})`}
          </summary>
          <dl>
            {texts.map(({ field, text }) => (
              <div key={`${field} ${text}`}>
                <dt>{fieldName(field)}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </details>
        <Verdict
          id={held._id}
          what={held.name}
          refuse="Remove"
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
    <Queue list={list} total={list.data?.pages[0]?.total} what="character">
      {list.data?.pages
        .flatMap((page) => page.characters)
        .map((held) => (
          <Held key={held._id} held={held} />
        ))}
    </Queue>
  );
}
