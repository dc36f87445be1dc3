import { useState } from "react";
import type { Case, CaseDecision } from "@/shared/api/types";
import { Button, SelectField } from "@/shared/ui";
import { MAX_REASONS_CHARS } from "../api";
import { DECISIONS, decisionsFor, useDecideAppeal, useDecideCase } from "../reports";
import { ReasonsDialog } from "./ReasonsDialog";

const TOLD = "Told to those concerned word for word: which rule, and what went against it.";

/** What is done about a report: one of a few things, with reasons. */
export function DecideCase({ report }: { report: Case }) {
  const decide = useDecideCase();
  const [decision, setDecision] = useState<CaseDecision | "">("");
  const [asking, setAsking] = useState(false);
  return (
    <div className="case-verdict">
      <SelectField
        label="Decision"
        placeholder="Choose what happens"
        value={decision}
        onChange={(event) =>
          setDecision(decisionsFor(report).find((one) => one === event.target.value) ?? "")
        }
        options={decisionsFor(report).map((value) => ({ value, label: DECISIONS[value] }))}
      />
      <Button
        disabled={decision === ""}
        busy={decide.isPending}
        aria-label={`Decide about ${report.subject}`}
        onClick={() => setAsking(true)}
      >
        Decide
      </Button>
      {decision !== "" && (
        <ReasonsDialog
          open={asking}
          onClose={() => setAsking(false)}
          title={`${DECISIONS[decision]}?`}
          hint={TOLD}
          maxLength={MAX_REASONS_CHARS}
          action={DECISIONS[decision]}
          grave={decision === "remove" || decision === "suspend"}
          onSubmit={(reasons) => decide.mutate({ id: report._id, decision, reasons })}
        />
      )}
    </div>
  );
}

/** An appeal is granted or refused by somebody else than who decided. */
export function DecideAppeal({ report }: { report: Case }) {
  const decide = useDecideAppeal();
  const [asking, setAsking] = useState<boolean | null>(null);
  return (
    <div className="verdict">
      <Button
        size="small"
        busy={decide.isPending}
        aria-label={`Grant the appeal about ${report.subject}`}
        onClick={() => setAsking(true)}
      >
        Grant the appeal
      </Button>
      <Button
        size="small"
        look="quiet"
        disabled={decide.isPending}
        aria-label={`Refuse the appeal about ${report.subject}`}
        onClick={() => setAsking(false)}
      >
        Refuse the appeal
      </Button>
      <ReasonsDialog
        open={asking !== null}
        onClose={() => setAsking(null)}
        title={asking ? "Grant the appeal?" : "Refuse the appeal?"}
        hint="Told to whoever appealed, word for word."
        maxLength={MAX_REASONS_CHARS}
        action={asking ? "Grant the appeal" : "Refuse the appeal"}
        grave={asking === false}
        onSubmit={(reasons) => decide.mutate({ id: report._id, granted: asking === true, reasons })}
      />
    </div>
  );
}
