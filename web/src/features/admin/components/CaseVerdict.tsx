import { useState } from "react";
import type { Case, CaseDecision } from "@/shared/api/types";
import { Button, SelectField } from "@/shared/ui";
import { MAX_REASONS_CHARS } from "../api";
import { useMessages } from "../i18n";
import { decisionsFor, useDecideAppeal, useDecideCase } from "../reports";
import { ReasonsDialog } from "./ReasonsDialog";

/** What is done about a report: one of a few things, with reasons. */
export function DecideCase({ report }: { report: Case }) {
  const t = useMessages("case");
  const name = useMessages("decision");
  const decide = useDecideCase();
  const [decision, setDecision] = useState<CaseDecision | "">("");
  const [asking, setAsking] = useState(false);
  return (
    <div className="case-verdict">
      <SelectField
        label={t("decision")}
        placeholder={t("choose")}
        value={decision}
        onChange={(event) =>
          setDecision(decisionsFor(report).find((one) => one === event.target.value) ?? "")
        }
        options={decisionsFor(report).map((value) => ({ value, label: name(value) }))}
      />
      <Button
        disabled={decision === ""}
        busy={decide.isPending}
        aria-label={t("decideAbout", { subject: report.subject })}
        onClick={() => setAsking(true)}
      >
        {t("decide")}
      </Button>
      {decision !== "" && (
        <ReasonsDialog
          open={asking}
          onClose={() => setAsking(false)}
          title={t("ask", { decision: name(decision) })}
          hint={t("told")}
          maxLength={MAX_REASONS_CHARS}
          action={name(decision)}
          grave={decision === "remove" || decision === "suspend"}
          onSubmit={(reasons) => decide.mutate({ id: report._id, decision, reasons })}
        />
      )}
    </div>
  );
}

/** An appeal is granted or refused by somebody else than who decided. */
export function DecideAppeal({ report }: { report: Case }) {
  const t = useMessages("case");
  const decide = useDecideAppeal();
  const [asking, setAsking] = useState<boolean | null>(null);
  return (
    <div className="verdict">
      <Button
        size="small"
        busy={decide.isPending}
        aria-label={t("grantAbout", { subject: report.subject })}
        onClick={() => setAsking(true)}
      >
        {t("grant")}
      </Button>
      <Button
        size="small"
        look="quiet"
        disabled={decide.isPending}
        aria-label={t("refuseAbout", { subject: report.subject })}
        onClick={() => setAsking(false)}
      >
        {t("refuse")}
      </Button>
      <ReasonsDialog
        open={asking !== null}
        onClose={() => setAsking(null)}
        title={asking ? t("grantAsk") : t("refuseAsk")}
        hint={t("toldAppellant")}
        maxLength={MAX_REASONS_CHARS}
        action={asking ? t("grant") : t("refuse")}
        grave={asking === false}
        onSubmit={(reasons) => decide.mutate({ id: report._id, granted: asking === true, reasons })}
      />
    </div>
  );
}
