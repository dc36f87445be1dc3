import { Check, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button, Dialog, TextArea } from "@/shared/ui";
import { type Decision, MAX_REASONS_CHARS } from "../api";
import { useMessages } from "../i18n";

interface VerdictProps {
  id: string;
  /** Yes and no to what is decided about, in words. */
  words: {
    /** `Approve Vesper Lang`. */
    approve: string;
    /** On the button that says no: `Remove`. */
    no: string;
    /** `Remove Vesper Lang`. */
    refuse: string;
    /** `Remove Vesper Lang?` */
    ask: string;
  };
  busy: boolean;
  onDecide: (decision: Decision) => void;
}

/** Yes at once, or no with a statement of reasons. */
export function Verdict({ id, words, busy, onDecide }: VerdictProps) {
  const t = useMessages("verdict");
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
        aria-label={words.approve}
        onClick={() => onDecide({ id, approve: true, reasons: "" })}
      >
        <Check className="icon s" />
        {t("approve")}
      </Button>
      <Button
        size="small"
        look="quiet"
        disabled={busy}
        aria-label={words.refuse}
        onClick={() => setRefusing(true)}
      >
        <X className="icon s" />
        {words.no}
      </Button>
      <Dialog open={refusing} onClose={() => setRefusing(false)} title={words.ask}>
        <form className="verdict-form" onSubmit={submit}>
          <TextArea
            label={t("reasons")}
            hint={t("told")}
            rows={5}
            maxLength={MAX_REASONS_CHARS}
            autoFocus
            data-focus=""
            value={reasons}
            onChange={(event) => setReasons(event.target.value)}
          />
          <div className="row">
            <Button onClick={() => setRefusing(false)}>{t("back")}</Button>
            <Button look="rouge" type="submit" disabled={reasons.trim() === ""}>
              {words.no}
            </Button>
          </div>
        </form>
      </Dialog>
    </div>
  );
}
