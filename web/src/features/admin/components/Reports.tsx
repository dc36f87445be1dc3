import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ReportKind, ReportState } from "@/shared/api/types";
import { SelectField } from "@/shared/ui";
import { casesOptions, KINDS, STATES } from "../reports";
import { CaseItem } from "./CaseItem";
import { Queue } from "./Queue";

const optionsOf = <T extends string>(names: Readonly<Record<T, string>>) =>
  Object.entries<string>(names).map(([value, label]) => ({ value, label }));

const isKey = <T extends string>(names: Readonly<Record<T, string>>, text: string): text is T =>
  text in names;

/** Reports, complaints and notices, the most urgent first. */
export function Reports() {
  const [state, setState] = useState<ReportState>();
  const [kind, setKind] = useState<ReportKind>();
  const list = useInfiniteQuery(casesOptions({ state, kind }));
  return (
    <>
      <div className="case-filter">
        <SelectField
          label="State"
          placeholder="All that wait"
          value={state ?? ""}
          options={optionsOf(STATES)}
          onChange={({ target }) => setState(isKey(STATES, target.value) ? target.value : undefined)}
        />
        <SelectField
          label="Kind"
          placeholder="Every kind"
          value={kind ?? ""}
          options={optionsOf(KINDS)}
          onChange={({ target }) => setKind(isKey(KINDS, target.value) ? target.value : undefined)}
        />
      </div>
      <Queue list={list} total={list.data?.pages[0]?.total} what="report" order="the most urgent first">
        {list.data?.pages
          .flatMap((page) => page.reports)
          .map((report) => (
            <CaseItem key={report._id} report={report} />
          ))}
      </Queue>
    </>
  );
}
