import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { TopCreator } from "@/shared/api/types";
import { shortCount } from "@/shared/format";
import { useMinLoading } from "@/shared/hooks/useMinLoading";
import { MIN_LOADING_MS } from "@/shared/limits";
import { paths } from "@/shared/paths";
import { Avatar, Empty, Failure, Tabs } from "@/shared/ui";
import { type Ranking, topCreatorsOptions } from "../api";
import { CreatorBadge } from "../components/CreatorBadge";
import "../creators.css";

interface BoardProps {
  by: Ranking;
  /** What is shown of each, and its name. */
  unit: string;
  figure: (row: TopCreator) => string;
}

/** How long people stay: what this ranking goes by. */
const perChat = (row: TopCreator) => (row.messages / Math.max(row.chats, 1)).toFixed(1);

const PLACES = ["first", "second", "third"] as const;

function Podium({ rows, unit, figure }: Omit<BoardProps, "by"> & { rows: readonly TopCreator[] }) {
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
            <span>
              {figure(row)} {unit}
            </span>
          </div>
        </li>
      ))}
    </ol>
  );
}

const BONES = ["a", "b", "c", "d", "e", "f", "g", "h"];

function BoardSkeleton() {
  return (
    <div role="status" aria-label="Counting the house">
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

function Board({ by, unit, figure }: BoardProps) {
  const { data, isPending, isError, refetch } = useQuery(topCreatorsOptions(by));
  const loading = useMinLoading(isPending, MIN_LOADING_MS);
  if (loading) return <BoardSkeleton />;
  if (isError && !data) {
    return (
      <div className="tab-text">
        <Failure message="Failed to load characters. Please try again." onRetry={() => void refetch()} />
      </div>
    );
  }
  if (!data?.length) return <Empty title="It's a bit empty here">Nobody has written a character yet.</Empty>;
  return (
    <>
      <Podium rows={data.slice(0, PLACES.length)} unit={unit} figure={figure} />
      <table className="board">
        <thead>
          <tr>
            <th scope="col" className="place">
              Place
            </th>
            <th scope="col">Creator</th>
            <th scope="col" className="num wide figure">
              Characters
            </th>
            <th scope="col" className="num figure">
              {unit.replace(/^./, (letter) => letter.toUpperCase())}
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
  return (
    <>
      <header className="page-head">
        <h1>Top Creators</h1>
        <p>Counted from what people read, follow and come back to.</p>
      </header>
      <Tabs
        label="Rankings"
        items={[
          {
            value: "engaging",
            label: "Most Engaging",
            content: <Board by="engaging" unit="messages a chat" figure={perChat} />,
          },
          {
            value: "trending",
            label: "Trending Creators",
            content: <Board by="trending" unit="chats" figure={(row) => shortCount(row.chats)} />,
          },
          {
            value: "followers",
            label: "Most Followers",
            content: <Board by="followers" unit="followers" figure={(row) => shortCount(row.followers)} />,
          },
        ]}
      />
    </>
  );
}
