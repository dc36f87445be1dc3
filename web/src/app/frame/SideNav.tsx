import { Search } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useMedia } from "@/shared/hooks/useMedia";
import { useMessages } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { useNavigate } from "@/shared/router";
import { useLoggedIn } from "@/shared/store";
import { NavLinks } from "./NavLinks";

/** Finds characters without leaving the page first. Members only. */
function NavSearch() {
  const t = useMessages("frame");
  const navigate = useNavigate();
  const [words, setWords] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const keywords = words.trim();
    void navigate(keywords ? `${paths.search}?keywords=${encodeURIComponent(keywords)}` : paths.search);
    setWords("");
  };
  return (
    <search>
      <form className="nav-search" onSubmit={submit}>
        <Search className="icon s" />
        <input
          aria-label={t("searchCharacters")}
          placeholder={t("searchCharacters")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </form>
    </search>
  );
}

/** Where the styles show no navigation beside the page: on a phone it is in the drawer. */
const PHONE = "(max-width: 767px)";

export function SideNav() {
  const t = useMessages("frame");
  const loggedIn = useLoggedIn();
  // Dozens of links that nobody would see are not made.
  if (useMedia(PHONE)) return null;
  return (
    <nav className="nav" aria-label={t("main")}>
      {loggedIn && <NavSearch />}
      <NavLinks />
    </nav>
  );
}
