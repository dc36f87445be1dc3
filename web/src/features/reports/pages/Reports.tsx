import { useInfiniteQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Report } from "@/shared/api/types";
import { dayOf } from "@/shared/format";
import { useTitle } from "@/shared/hooks/useTitle";
import { useSpoken } from "@/shared/i18n";
import { paths } from "@/shared/paths";
import { Link, useNavigate } from "@/shared/router";
import { useLoggedIn } from "@/shared/store";
import { Button, ButtonLink, Empty, Lock, PagedList, TextField } from "@/shared/ui";
import { reportsOptions } from "../api";
import { useMessages } from "../i18n";
import { titleOf } from "../words";
import "../reports.css";

const BONES = ["first", "second", "third"];

/** The number on a receipt opens its report, with an account or without. */
function ByNumber() {
  const t = useMessages("reports");
  const navigate = useNavigate();
  const [number, setNumber] = useState("");
  const open = (event: FormEvent) => {
    event.preventDefault();
    void navigate(paths.report(number.trim().toUpperCase()));
  };
  return (
    <form className="by-number" onSubmit={open}>
      <TextField
        label={t("byNumber")}
        placeholder="TR-"
        autoComplete="off"
        spellCheck={false}
        value={number}
        onChange={(event) => setNumber(event.target.value)}
      />
      <Button type="submit" disabled={number.trim() === ""}>
        {t("look")}
      </Button>
    </form>
  );
}

function Row({ report }: { report: Report }) {
  const t = useMessages("reports");
  const language = useSpoken((state) => state.language);
  return (
    <li>
      <Link className="report-row" to={paths.report(report.number)}>
        <span className="report-title">{titleOf(report, t)}</span>
        <span className="badge">{t(report.state)}</span>
        <span className="text-3 num">
          {report.number}
          <span> · {dayOf(report.createdAt, language)}</span>
        </span>
      </Link>
    </li>
  );
}

function Mine() {
  const t = useMessages("reports");
  const list = useInfiniteQuery(reportsOptions);
  const reports = list.data?.pages.flatMap((page) => page.reports) ?? [];
  return (
    <PagedList
      list={list}
      count={reports.length}
      className="report-list"
      loading={t("loading")}
      bones={BONES.map((key) => (
        <div className="report-row skeleton" key={key}>
          <span className="bone w-60" />
        </div>
      ))}
      failure={t("failed")}
      empty={
        <Empty
          title={t("none")}
          action={
            <ButtonLink look="lit" to={paths.search}>
              {t("search")}
            </ButtonLink>
          }
        >
          {t("noneText")}
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
  const t = useMessages("reports");
  useTitle(t("title"));
  const loggedIn = useLoggedIn();
  return (
    <>
      <header className="page-head">
        <h1>{t("title")}</h1>
        <p>{t("lead")}</p>
      </header>
      <ByNumber />
      <div className="report-mine">
        {loggedIn ? <Mine /> : <Lock title={t("lock")}>{t("lockText")}</Lock>}
      </div>
    </>
  );
}
