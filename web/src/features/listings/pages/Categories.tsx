import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { shortCount } from "@/shared/brief";
import { TAG_GROUPS, type TagGroup } from "@/shared/catalog/groups";
import { NSFW_TAG, tagName } from "@/shared/catalog/tags";
import { useTitle } from "@/shared/hooks/useTitle";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { useLoggedIn } from "@/shared/store";
import { tagCountsOptions } from "../api";
import { useMessages } from "../i18n";
import "../categories.css";

/** Groups in the jump bar before 'Show more'. */
const FIRST_GROUPS = 5;
const anchor = (group: TagGroup) => group.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function Count({ of }: { of: number | undefined }) {
  const t = useMessages("categories");
  if (of === undefined) return null;
  return (
    <span className="tag-count num">
      {shortCount(of)}
      <span className="sr"> {t("characters", { count: of })}</span>
    </span>
  );
}

function JumpBar() {
  const t = useMessages("categories");
  const name = useMessages("group");
  const [open, setOpen] = useState(false);
  return (
    <nav className="jump" aria-label={t("jump")}>
      <span className="label">{t("jump")}</span>
      <div className="chips">
        {(open ? TAG_GROUPS : TAG_GROUPS.slice(0, FIRST_GROUPS)).map((group) => (
          <a key={group.name} className="chip" href={`#${anchor(group)}`}>
            <group.icon className="icon s" />
            {name(group.name)}
          </a>
        ))}
        {!open && (
          <button type="button" className="chip more" onClick={() => setOpen(true)}>
            {t("more")}
            <ChevronDown className="icon s" />
          </button>
        )}
      </div>
    </nav>
  );
}

export default function Categories() {
  const t = useMessages("categories");
  const name = useMessages("group");
  useTitle(t("title"));
  const loggedIn = useLoggedIn();
  // The page stands without them: a count that cannot be had is left out.
  const { data: counts } = useQuery(tagCountsOptions);
  return (
    <>
      <header className="page-head">
        <h1>{t("title")}</h1>
        <p>{t("lead")}</p>
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
              {name(group.name)}
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
