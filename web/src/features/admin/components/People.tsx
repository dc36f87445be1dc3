import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { messageOf } from "@/shared/api/errors";
import { dayOf, plural } from "@/shared/format";
import { paths } from "@/shared/paths";
import { Avatar, Button, Empty, Failure, TextField } from "@/shared/ui";
import { type Found, findPerson, MAX_REASON_CHARS, useReinstate, useSuspend } from "../people";
import { ReasonsDialog } from "./ReasonsDialog";

function Person({ found: { id, user } }: { found: Found }) {
  const suspend = useSuspend();
  const reinstate = useReinstate();
  const [asking, setAsking] = useState(false);
  const name = user?.username ?? "this account";
  return (
    <article className="panel person" aria-labelledby="person">
      {user && <Avatar name={user.username} src={user.pfp} size="large" />}
      <div className="held-text">
        <h2 id="person">{user?.username ?? "An account"}</h2>
        <p className="held-meta num">
          <span>{id}</span>
          {user && <span>Here since {dayOf(user.createdAt)}</span>}
          {user && <span>{plural(user.characters, "character")}</span>}
          {user && (
            <Link className="link" to={paths.creator(user.username)}>
              Creator page
            </Link>
          )}
        </p>
        <div className="verdict">
          <Button size="small" busy={suspend.isPending} onClick={() => setAsking(true)}>
            Suspend
          </Button>
          <Button size="small" look="quiet" busy={reinstate.isPending} onClick={() => reinstate.mutate(id)}>
            Reinstate
          </Button>
        </div>
      </div>
      <ReasonsDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Suspend ${name}?`}
        hint="Told to the person word for word. All their sessions end, and nothing of theirs is shown."
        maxLength={MAX_REASON_CHARS}
        action="Suspend"
        grave
        onSubmit={(reason) => suspend.mutate({ id, reason })}
      />
    </article>
  );
}

function Result({ who }: { who: string }) {
  const { data, isPending, error, refetch } = useQuery({
    queryKey: ["admin", "person", who],
    queryFn: () => findPerson(who),
    staleTime: 0,
  });
  if (isPending) return <div className="bone queue-bone" role="status" aria-label="Looking" />;
  if (data === undefined) {
    return (
      <Failure
        message={messageOf(error, "Failed to look that person up. Please try again.")}
        onRetry={() => void refetch()}
      />
    );
  }
  if (data === null) {
    return (
      <Empty title="Nobody of that name">
        A suspended account is found by its id only, as it stands on the report.
      </Empty>
    );
  }
  return <Person key={data.id} found={data} />;
}

/** Suspends an account, and ends that again. */
export function People() {
  const [params, setParams] = useSearchParams();
  const who = params.get("who") ?? "";
  const [text, setText] = useState(who);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setParams(text.trim() ? { who: text.trim() } : {}, { preventScrollReset: true });
  };
  return (
    <div className="queue">
      <form className="person-find" onSubmit={submit}>
        <TextField
          label="Username or id"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit">Find</Button>
      </form>
      {who !== "" && <Result who={who} />}
    </div>
  );
}
