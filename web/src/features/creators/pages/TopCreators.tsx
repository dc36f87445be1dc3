import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { TopCreator } from "@/shared/api/types";
import { shortCount } from "@/shared/format";
import { paths } from "@/shared/paths";
import { Avatar, Empty, Failure, Tabs } from "@/shared/ui";
import { type Ranking, topCreatorsOptions } from "../api";
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
          <Link className="who" to={paths.creator(row.creator.username)}>
            {row.creator.username}
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

function Board({ by, unit, figure }: BoardProps) {
  const { data, isPending, isError, refetch } = useQuery(topCreatorsOptions(by));
  if (isPending) return <p className="text-3 tab-text">Counting the house.</p>;
  if (isError) {
    return (
      <div className="tab-text">
        <Failure message="Failed to load characters. Please try again." onRetry={() => void refetch()} />
      </div>
    );
  }
  if (data.length === 0)
    return <Empty title="It's a bit empty here">Nobody has written a character yet.</Empty>;
  return (
    <>
      <Podium rows={data.slice(0, PLACES.length)} unit={unit} figure={figure} />
      <table className="board">
        <thead>
          <tr>
            <th scope="col">Place</th>
            <th scope="col">Creator</th>
            <th scope="col" className="num wide">
              Characters
            </th>
            <th scope="col" className="num">
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
                  {row.creator.username}
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
