import { useInfiniteQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Link, useNavigate } from "react-router";
import type { Report } from "@/shared/api/types";
import { dayOf } from "@/shared/format";
import { paths } from "@/shared/paths";
import { useLoggedIn } from "@/shared/store";
import { Button, ButtonLink, Empty, Lock, PagedList, TextField } from "@/shared/ui";
import { reportsOptions } from "../api";
import { stateOf, titleOf } from "../words";
import "../reports.css";

const BONES = ["first", "second", "third"];

/** The number on a receipt opens its report, with an account or without. */
function ByNumber() {
  const navigate = useNavigate();
  const [number, setNumber] = useState("");
  const open = (event: FormEvent) => {
    event.preventDefault();
    void navigate(paths.report(number.trim().toUpperCase()));
  };
  return (
    <form className="by-number" onSubmit={open}>
      <TextField
        label="A number from a receipt or a decision"
        placeholder="TR-"
        autoComplete="off"
        spellCheck={false}
        value={number}
        onChange={(event) => setNumber(event.target.value)}
      />
      <Button type="submit" disabled={number.trim() === ""}>
        Look it up
      </Button>
    </form>
  );
}

function Row({ report }: { report: Report }) {
  return (
    <li>
      <Link className="report-row" to={paths.report(report.number)}>
        <span className="report-title">{titleOf(report)}</span>
        <span className="badge">{stateOf(report)}</span>
        <span className="text-3 num">
          {report.number}
          <span> · {dayOf(report.createdAt)}</span>
        </span>
      </Link>
    </li>
  );
}

function Mine() {
  const list = useInfiniteQuery(reportsOptions);
  const reports = list.data?.pages.flatMap((page) => page.reports) ?? [];
  return (
    <PagedList
      list={list}
      count={reports.length}
      className="report-list"
      loading="Loading reports"
      bones={BONES.map((key) => (
        <div className="report-row skeleton" key={key}>
          <span className="bone w-60" />
        </div>
      ))}
      failure="Your reports could not be loaded."
      empty={
        <Empty
          title="Nothing reported"
          action={
            <ButtonLink look="lit" to={paths.search}>
              Search characters
            </ButtonLink>
          }
        >
          What you report from a card’s menu, and what is decided about you, is kept here.
        </Empty>
      }
    >
      <ul className="report-list">
        {reports.map((report) => (
          <Row key={report.number} report={report} />
        ))}
      </ul>
    </PagedList>
  );
}

export default function Reports() {
  const loggedIn = useLoggedIn();
  return (
    <>
      <header className="page-head">
        <h1>My reports</h1>
        <p>What you told us, what became of it, and what was decided about you.</p>
      </header>
      <ByNumber />
      <div className="report-mine">
        {loggedIn ? (
          <Mine />
        ) : (
          <Lock title="Sign in to see your reports">
            Without an account, a number opens its report, and the complaint page takes a new one.
          </Lock>
        )}
      </div>
    </>
  );
}
