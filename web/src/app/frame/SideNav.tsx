import { Search } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { NavLinks } from "./NavLinks";

/** Finds characters without leaving the page first. Members only. */
function NavSearch() {
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
          aria-label="Search characters"
          placeholder="Search characters"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </form>
    </search>
  );
}

export function SideNav() {
  const loggedIn = useLoggedIn();
  return (
    <nav className="nav" aria-label="Main">
      {loggedIn && <NavSearch />}
      <NavLinks />
    </nav>
  );
}
