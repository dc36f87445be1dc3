import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { TAG_GROUPS, type TagGroup } from "@/shared/catalog/groups";
import { NSFW_TAG, tagName } from "@/shared/catalog/tags";
import { shortCount } from "@/shared/format";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { tagCountsOptions } from "../api";
import "../categories.css";

/** Groups in the jump bar before 'Show more'. */
const FIRST_GROUPS = 5;
const anchor = (group: TagGroup) => group.name.toLowerCase().replaceAll(" ", "-");

function Count({ of }: { of: number | undefined }) {
  if (of === undefined) return null;
  return (
    <span className="tag-count num">
      {shortCount(of)}
      <span className="sr">{of === 1 ? " character" : " characters"}</span>
    </span>
  );
}

function JumpBar() {
  const [open, setOpen] = useState(false);
  return (
    <nav className="jump" aria-label="Jump to category">
      <span className="label">Jump to category</span>
      <div className="chips">
        {(open ? TAG_GROUPS : TAG_GROUPS.slice(0, FIRST_GROUPS)).map((group) => (
          <a key={group.name} className="chip" href={`#${anchor(group)}`}>
            <group.icon className="icon s" />
            {group.name}
          </a>
        ))}
        {!open && (
          <button type="button" className="chip more" onClick={() => setOpen(true)}>
            Show more
            <ChevronDown className="icon s" />
          </button>
        )}
      </div>
    </nav>
  );
}

export default function Categories() {
  const loggedIn = useLoggedIn();
  // The page stands without them: a count that cannot be had is left out.
  const { data: counts } = useQuery(tagCountsOptions);
  return (
    <>
      <header className="page-head">
        <h1>Categories</h1>
        <p>Every character carries up to five tags. Follow one to see who plays it.</p>
      </header>
      <JumpBar />
      <div className="groups">
        {TAG_GROUPS.map((group) => (
          <section
            key={group.name}
            className="group"
            id={anchor(group)}
            aria-labelledby={`${anchor(group)}-name`}
          >
            <h2 id={`${anchor(group)}-name`}>
              <group.icon className="icon l" />
              {group.name}
            </h2>
            <ul>
              {group.tags
                .filter((tag) => loggedIn || tag !== NSFW_TAG)
                .map((tag) => (
                  <li key={tag}>
                    <Link to={paths.tag(tag)}>
                      {tagName(tag)}
                      <Count of={counts?.get(tag)} />
                    </Link>
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}
