import { useQuery } from "@tanstack/react-query";
import type { TopCreator } from "@/shared/api/types";
import { shortCount } from "@/shared/brief";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { useTitle } from "@/shared/hooks/useTitle";
import { ENGAGING_DISCOUNT, MIN_LOADING_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { Avatar, Empty, Failure, Tabs } from "@/shared/ui";
import { type Ranking, topCreatorsOptions } from "../api";
import { CreatorBadge } from "../components/CreatorBadge";
import { useMessages } from "../i18n";
import "../creators.css";

interface BoardProps {
  by: Ranking;
  /** What is shown of each. */
  figure: (row: TopCreator) => string;
}

/** How long people stay, counted as the ranking counts it. */
const perChat = (row: TopCreator) => (row.messages / (row.chats + ENGAGING_DISCOUNT)).toFixed(1);

const PLACES = ["first", "second", "third"] as const;

function Podium({ rows, by, figure }: BoardProps & { rows: readonly TopCreator[] }) {
  const t = useMessages("board");
  return (
    <ol className="podium">
      {rows.map((row, index) => (
        <li key={row.creator._id} className={PLACES[index]}>
          <Avatar name={row.creator.username} src={row.creator.pfp} size="large" />
          <Link className="who" to={paths.creator(row.creator.username)} title={row.creator.username}>
            {row.creator.username} {row.badge && <CreatorBadge small />}
          </Link>
          <div className="plinth num">
            <b>{index + 1}</b>
            <span>{t(`${by}Of`, { figure: figure(row) })}</span>
          </div>
        </li>
      ))}
    </ol>
  );
}

const BONES = ["a", "b", "c", "d", "e", "f", "g", "h"];

function BoardSkeleton() {
  const t = useMessages("top");
  return (
    <div role="status" aria-label={t("loading")}>
      <div className="podium" aria-hidden="true">
        {PLACES.map((place) => (
          <div className={`podium-one ${place}`} key={place}>
            <span className="face l skeleton" />
            <span className="who">&nbsp;</span>
            <div className="plinth" />
          </div>
        ))}
      </div>
      <div className="board">
        {BONES.map((key) => (
          <div className="board-bone" key={key}>
            <span className="bone w-60" />
          </div>
        ))}
      </div>
    </div>
  );
}

function Board({ by, figure }: BoardProps) {
  const t = useMessages("board");
  const top = useMessages("top");
  const { data, isPending, isError, refetch } = useQuery(topCreatorsOptions(by));
  const loading = useMinLoading(isPending, MIN_LOADING_MS);
  if (loading) return <BoardSkeleton />;
  if (isError && !data) {
    return (
      <div className="tab-text">
        <Failure message={top("failed")} onRetry={() => void refetch()} />
      </div>
    );
  }
  if (!data?.length) return <Empty title={top("empty")}>{top("emptyText")}</Empty>;
  return (
    <>
      <Podium rows={data.slice(0, PLACES.length)} by={by} figure={figure} />
      <table className="board">
        <thead>
          <tr>
            <th scope="col" className="place">
              {t("place")}
            </th>
            <th scope="col">{t("creator")}</th>
            <th scope="col" className="num wide figure">
              {t("characters")}
            </th>
            <th scope="col" className="num figure">
              {t(by)}
            </th>
          </tr>
        </thead>
        <tbody>
          {data.map((row, index) => (
            <tr key={row.creator._id}>
              <td>{index + 1}</td>
              <td>
                <Link to={paths.creator(row.creator.username)}>
                  <Avatar name={row.creator.username} src={row.creator.pfp} size="small" />
                  <span title={row.creator.username}>{row.creator.username}</span>
                  {row.badge && <CreatorBadge small />}
                </Link>
              </td>
              <td className="num wide">{row.characters}</td>
              <td className="num">{figure(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

export default function TopCreators() {
  const t = useMessages("top");
  useTitle(t("title"));
  return (
    <>
      <header className="page-head">
        <h1>{t("title")}</h1>
        <p>{t("lead")}</p>
      </header>
      <Tabs
        label={t("rankings")}
        items={[
          {
            value: "engaging",
            label: t("engaging"),
            content: <Board by="engaging" figure={perChat} />,
          },
          {
            value: "trending",
            label: t("trending"),
            content: <Board by="trending" figure={(row) => shortCount(row.chats)} />,
          },
          {
            value: "followers",
            label: t("followers"),
            content: <Board by="followers" figure={(row) => shortCount(row.followers)} />,
          },
        ]}
      />
    </>
  );
}
