import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { messageOf } from "@/shared/api/errors";
import { dayOf } from "@/shared/format";
import { paths } from "@/shared/paths";
import { Link, useSearchParams } from "@/shared/router";
import { Avatar, Button, Empty, Failure, TextField } from "@/shared/ui";
import { useMessages } from "../i18n";
import { type Found, findPerson, MAX_REASON_CHARS, useReinstate, useSuspend } from "../people";
import { ReasonsDialog } from "./ReasonsDialog";

function Person({ found: { id, user } }: { found: Found }) {
  const t = useMessages("person");
  const suspend = useSuspend();
  const reinstate = useReinstate();
  const [asking, setAsking] = useState(false);
  return (
    <article className="panel account-found" aria-labelledby="person">
      {user && <Avatar name={user.username} src={user.pfp} size="large" />}
      <div className="held-text">
        <h2 id="person">{user?.username ?? t("account")}</h2>
        <p className="held-meta num">
          <span>{id}</span>
          {user && <span>{t("since", { day: dayOf(user.createdAt) })}</span>}
          {user && <span>{t("characters", { count: user.characters })}</span>}
          {user && (
            <Link className="link" to={paths.creator(user.username)}>
              {t("page")}
            </Link>
          )}
        </p>
        <div className="verdict">
          <Button size="small" busy={suspend.isPending} onClick={() => setAsking(true)}>
            {t("suspend")}
          </Button>
          <Button size="small" look="quiet" busy={reinstate.isPending} onClick={() => reinstate.mutate(id)}>
            {t("reinstate")}
          </Button>
        </div>
      </div>
      <ReasonsDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={user ? t("suspendName", { name: user.username }) : t("suspendThis")}
        hint={t("suspendTold")}
        maxLength={MAX_REASON_CHARS}
        action={t("suspend")}
        grave
        onSubmit={(reason) => suspend.mutate({ id, reason })}
      />
    </article>
  );
}

function Result({ who }: { who: string }) {
  const t = useMessages("person");
  const { data, isPending, error, refetch } = useQuery({
    queryKey: ["admin", "person", who],
    queryFn: () => findPerson(who),
    staleTime: 0,
  });
  if (isPending) return <div className="bone queue-bone" role="status" aria-label={t("looking")} />;
  if (data === undefined) {
    return <Failure message={messageOf(error, t("failed"))} onRetry={() => void refetch()} />;
  }
  if (data === null) {
    return <Empty title={t("nobody")}>{t("nobodyText")}</Empty>;
  }
  return <Person key={data.id} found={data} />;
}

/** Suspends an account, and ends that again. */
export function People() {
  const t = useMessages("person");
  const [params, setParams] = useSearchParams();
  const who = params.get("who") ?? "";
  const [text, setText] = useState(who);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setParams(text.trim() ? { who: text.trim() } : {});
  };
  return (
    <div className="queue">
      <form className="person-find" onSubmit={submit}>
        <TextField
          label={t("who")}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit">{t("find")}</Button>
      </form>
      {who === "" ? <Empty title={t("nobodyYet")}>{t("nobodyYetText")}</Empty> : <Result who={who} />}
    </div>
  );
}
