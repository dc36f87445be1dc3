import { Check, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button, Dialog, TextArea } from "@/shared/ui";
import { type Decision, MAX_REASONS_CHARS } from "../api";

interface VerdictProps {
  id: string;
  /** What is decided about: `Vesper Lang`, `this picture`. */
  what: string;
  /** The word for no: `Remove`, `Refuse`. */
  refuse: string;
  busy: boolean;
  onDecide: (decision: Decision) => void;
}

/** Yes at once, or no with a statement of reasons. */
export function Verdict({ id, what, refuse, busy, onDecide }: VerdictProps) {
  const [refusing, setRefusing] = useState(false);
  const [reasons, setReasons] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setRefusing(false);
    onDecide({ id, approve: false, reasons: reasons.trim() });
  };
  return (
    <div className="verdict">
      <Button
        size="small"
        busy={busy}
        aria-label={`Approve ${what}`}
        onClick={() => onDecide({ id, approve: true, reasons: "" })}
      >
        <Check className="icon s" />
        Approve
      </Button>
      <Button
        size="small"
        look="quiet"
        disabled={busy}
        aria-label={`${refuse} ${what}`}
        onClick={() => setRefusing(true)}
      >
        <X className="icon s" />
        {refuse}
      </Button>
      <Dialog open={refusing} onClose={() => setRefusing(false)} title={`${refuse} ${what}?`}>
        <form className="verdict-form" onSubmit={submit}>
          <TextArea
            label="Reasons"
            hint="Told to the owner word for word: which rule, and what went against it."
            rows={5}
            maxLength={MAX_REASONS_CHARS}
            autoFocus
            data-focus=""
            value={reasons}
            onChange={(event) => setReasons(event.target.value)}
          />
          <div className="row">
            <Button onClick={() => setRefusing(false)}>Back</Button>
            <Button look="rouge" type="submit" disabled={reasons.trim() === ""}>
              {refuse}
            </Button>
          </div>
        </form>
      </Dialog>
    </div>
  );
}
