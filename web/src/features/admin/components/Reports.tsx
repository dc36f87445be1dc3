import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ReportKind, ReportState } from "@/shared/api/types";
import { SelectField } from "@/shared/ui";
import { useMessages } from "../i18n";
import { casesOptions, KINDS, STATES } from "../reports";
import { CaseItem } from "./CaseItem";
import { Queue } from "./Queue";

/** Reports, complaints and notices, the most urgent first. */
export function Reports() {
  const t = useMessages("case");
  const kindName = useMessages("kind");
  const stateName = useMessages("state");
  const [state, setState] = useState<ReportState>();
  const [kind, setKind] = useState<ReportKind>();
  const list = useInfiniteQuery(casesOptions({ state, kind }));
  return (
    <>
      <div className="case-filter">
        <SelectField
          label={t("state")}
          placeholder={t("waiting")}
          value={state ?? ""}
          options={STATES.map((value) => ({ value, label: stateName(value) }))}
          onChange={({ target }) => setState(STATES.find((one) => one === target.value))}
        />
        <SelectField
          label={t("kind")}
          placeholder={t("everyKind")}
          value={kind ?? ""}
          options={KINDS.map((value) => ({ value, label: kindName(value) }))}
          onChange={({ target }) => setKind(KINDS.find((one) => one === target.value))}
        />
      </div>
      <Queue list={list} total={list.data?.pages[0]?.total} what="reports">
        {list.data?.pages
          .flatMap((page) => page.reports)
          .map((report) => (
            <CaseItem key={report._id} report={report} />
          ))}
      </Queue>
    </>
  );
}
