import { Copy } from "lucide-react";
import { useEffect, useRef } from "react";
import { Link } from "react-router";
import type { Report } from "@/shared/api/types";
import { dayOf } from "@/shared/format";
import { paths } from "@/shared/paths";
import { toast } from "@/shared/toast";
import { Button, IconButton } from "@/shared/ui";

interface ReceiptProps {
  report: Report;
  /** When one hears back. */
  promise: string;
  onAnother: () => void;
}

/** What was filed, and the number that is the key to it. */
export function Receipt({ report, promise, onAnother }: ReceiptProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const copy = () =>
    navigator.clipboard.writeText(report.number).then(
      () => toast.success("Number copied."),
      () => toast.error("The number could not be copied."),
    );
  return (
    <div className="receipt" data-testid="receipt">
      <h2 ref={heading} tabIndex={-1}>
        We have received it
      </h2>
      <p className="receipt-number">
        <span className="num">{report.number}</span>
        <IconButton label="Copy the number" onClick={() => void copy()}>
          <Copy className="icon" />
        </IconButton>
      </p>
      <dl>
        <div>
          <dt>About</dt>
          <dd>{report.subject}</dd>
        </div>
        <div>
          <dt>Received</dt>
          <dd>{dayOf(report.createdAt)}</dd>
        </div>
        <div>
          <dt>Decided by</dt>
          <dd>{dayOf(report.dueAt)}</dd>
        </div>
      </dl>
      <p>
        {promise} The number is also in your mail, within 24 hours. Keep it: whoever has it can see where this
        stands, and appeal.
      </p>
      <div className="chips">
        <Link className="btn line" to={paths.report(report.number)}>
          See where it stands
        </Link>
        <Button look="quiet" onClick={onAnother}>
          Send another
        </Button>
      </div>
    </div>
  );
}
