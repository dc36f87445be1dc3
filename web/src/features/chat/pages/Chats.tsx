import { useInfiniteQuery } from "@tanstack/react-query";
import { FileUp, Search } from "lucide-react";
import { useState } from "react";
import { useMedia } from "@/shared/hooks/useMedia";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { useNearEnd } from "@/shared/hooks/useNearEnd";
import { useTitle } from "@/shared/hooks/useTitle";
import { MIN_LOADING_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { useLoggedIn } from "@/shared/store";
import { Button, ButtonLink, Empty, Failure, Segmented } from "@/shared/ui";
import { chatListOptions } from "../api";
import { ChatItem } from "../components/ChatItem";
import { Hits } from "../components/Hits";
import { ImportDialog } from "../components/ImportDialog";
import { NewFaces } from "../components/NewFaces";
import { useSettled } from "../useSettled";
import { useShelf } from "../useShelf";
import "../chat.css";
import { useMessages } from "../i18n";

/** Placeholder rows while the list loads. */
const BONES = ["first", "second", "third", "fourth", "fifth"];
/** A search begins once nothing was typed for this long, ms. */
const TYPING_MS = 300;
/** Room for a column beside the list. */
const WIDE = "(min-width: 1200px)";

type Shelf = "chats" | "archived";

function Bones() {
  const t = useMessages("list");
  return (
    <div className="chat-list" role="status" aria-label={t("loading")}>
      {BONES.map((key) => (
        <div className="chat-item skeleton" key={key}>
          <span className="tile" />
          <span className="chat-item-text">
            <span className="bone w-60" />
            <span className="bone w-92" />
          </span>
        </div>
      ))}
    </div>
  );
}

function Nothing({ archived }: { archived: boolean }) {
  const t = useMessages("list");
  if (archived) {
    return <Empty title={t("noArchive")}>{t("noArchiveText")}</Empty>;
  }
  return (
    <Empty
      title={t("empty")}
      action={
        <ButtonLink look="lit" to={paths.search}>
          {t("meet")}
        </ButtonLink>
      }
    >
      {t("emptyText")}
    </Empty>
  );
}

function ChatList({ archived, words }: { archived: boolean; words: string }) {
  const t = useMessages("list");
  const list = useInfiniteQuery(chatListOptions({ archived, words }));
  const { data: chats, isPending, isError, hasNextPage, isFetchingNextPage } = list;
  const more = () => void list.fetchNextPage();
  const end = useNearEnd(more, hasNextPage && !isFetchingNextPage && !isError);
  const shelf = useShelf();
  const loading = useMinLoading(isPending, MIN_LOADING_MS);
  if (loading) return <Bones />;
  if (!chats) return <Failure message={t("failed")} onRetry={() => void list.refetch()} />;
  // What was asked before stays until the answer comes; it may be of the other shelf.
  const here = chats.filter((chat) => chat.archived === archived);
  if (here.length === 0) {
    if (words !== "") return <p className="text-2">{t("noName")}</p>;
    return <Nothing archived={archived} />;
  }
  return (
    <>
      <ul className="chat-list">
        {here.map((chat) => (
          <ChatItem key={chat._id} chat={chat} shelf={shelf} />
        ))}
      </ul>
      {hasNextPage && (
        <div className="list-end" ref={end}>
          {isError && <p role="alert">{t("failed")}</p>}
          <Button busy={isFetchingNextPage} onClick={more}>
            {t("more")}
          </Button>
        </div>
      )}
      {!hasNextPage && !archived && words === "" && (
        <p className="list-end">
          <Link className="link" to={paths.forYou}>
            {t("end")}
          </Link>
        </p>
      )}
    </>
  );
}

function Shelves() {
  const t = useMessages("list");
  const [shelf, setShelf] = useState<Shelf>("chats");
  const [typed, setTyped] = useState("");
  const [imports, setImports] = useState(false);
  const words = useSettled(typed.trim(), TYPING_MS);
  const wide = useMedia(WIDE);
  return (
    <>
      <header className="page-head">
        <h1>{t("title")}</h1>
      </header>
      <div className="chats">
        <div>
          <div className="shelf-bar">
            <div className="with-icon">
              <Search className="icon" />
              <input
                className="input"
                type="search"
                aria-label={t("search")}
                placeholder={t("searchHint")}
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            </div>
            <Segmented
              label={t("which")}
              value={shelf}
              onChange={setShelf}
              options={[
                { value: "chats", label: t("title") },
                { value: "archived", label: t("archived") },
              ]}
            />
            <Button onClick={() => setImports(true)}>
              <FileUp className="icon s" />
              {t("import")}
            </Button>
          </div>
          <ChatList archived={shelf === "archived"} words={words} />
          {words !== "" && <Hits words={words} />}
        </div>
        {wide && <NewFaces />}
      </div>
      {imports && <ImportDialog onClose={() => setImports(false)} />}
    </>
  );
}

export default function Chats() {
  const t = useMessages("list");
  useTitle(t("title"));
  return useLoggedIn() ? <Shelves /> : null;
}
