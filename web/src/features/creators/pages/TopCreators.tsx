import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { CharacterCard } from "@/shared/api/types";
import { type SortLabel, searchSort } from "@/shared/catalog/sorts";
import { shortCount } from "@/shared/format";
import { paths } from "@/shared/paths";
import { Avatar, Empty, Failure, Tabs } from "@/shared/ui";
import { leadersOptions } from "../api";
import { type Ranked, rank } from "../ranking";
import "../creators.css";

interface BoardProps {
  /** The order whose first characters are counted. */
  sort: SortLabel;
  /** What is added up, and its name. */
  unit: string;
  figure: (character: CharacterCard) => number;
}

const PLACES = ["first", "second", "third"] as const;

function Podium({ rows, unit }: { rows: readonly Ranked[]; unit: string }) {
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
              {shortCount(row.score)} {unit}
            </span>
          </div>
        </li>
      ))}
    </ol>
  );
}

function Board({ sort, unit, figure }: BoardProps) {
  const { data, isPending, isError, refetch } = useQuery(leadersOptions(searchSort(sort)));
  if (isPending) return <p className="text-3 tab-text">Counting the house.</p>;
  if (isError) {
    return (
      <div className="tab-text">
        <Failure message="Failed to load characters. Please try again." onRetry={() => void refetch()} />
      </div>
    );
  }
  const rows = rank(data, figure);
  if (rows.length === 0)
    return <Empty title="It's a bit empty here">Nobody has written a character yet.</Empty>;
  return (
    <>
      <Podium rows={rows.slice(0, PLACES.length)} unit={unit} />
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
          {rows.map((row, index) => (
            <tr key={row.creator._id}>
              <td>{index + 1}</td>
              <td>
                <Link to={paths.creator(row.creator.username)}>
                  <Avatar name={row.creator.username} src={row.creator.pfp} size="small" />
                  {row.creator.username}
                </Link>
              </td>
              <td className="num wide">{row.characters}</td>
              <td className="num">{shortCount(row.score)}</td>
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
        <p>Counted from the hundred characters that lead each list.</p>
      </header>
      <Tabs
        label="Rankings"
        items={[
          {
            value: "engaging",
            label: "Most Engaging",
            content: <Board sort="Popular" unit="messages" figure={(character) => character.messages} />,
          },
          {
            value: "trending",
            label: "Trending Creators",
            content: <Board sort="Trending" unit="likes" figure={(character) => character.likes} />,
          },
          {
            value: "followers",
            label: "Most Followers",
            content: <Board sort="Most Liked" unit="followers" figure={(character) => character.follows} />,
          },
        ]}
      />
    </>
  );
}
