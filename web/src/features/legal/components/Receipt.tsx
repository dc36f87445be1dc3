import { Copy } from "lucide-react";
import { useEffect, useRef } from "react";
import type { Report } from "@/shared/api/types";
import { dayOf } from "@/shared/format";
import { paths } from "@/shared/paths";
import { Link } from "@/shared/router";
import { toast } from "@/shared/toast";
import { Button, IconButton } from "@/shared/ui";
import type { NoticeKind } from "../forms";
import { useMessages } from "../i18n";

interface ReceiptProps {
  report: Report;
  kind: NoticeKind;
  onAnother: () => void;
}

/** What was filed, and the number that is the key to it. */
export function Receipt({ report, kind, onAnother }: ReceiptProps) {
  const t = useMessages("receipt");
  const words = useMessages(kind);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const copy = () =>
    navigator.clipboard.writeText(report.number).then(
      () => toast.success(t("copied")),
      () => toast.error(t("copyFailed")),
    );
  return (
    <div className="receipt" data-testid="receipt">
      <h2 ref={heading} tabIndex={-1}>
        {t("title")}
      </h2>
      <p className="receipt-number">
        <span className="num">{report.number}</span>
        <IconButton label={t("copy")} onClick={() => void copy()}>
          <Copy className="icon" />
        </IconButton>
      </p>
      <dl>
        <div>
          <dt>{t("about")}</dt>
          <dd>{report.subject}</dd>
        </div>
        <div>
          <dt>{t("received")}</dt>
          <dd>{dayOf(report.createdAt)}</dd>
        </div>
        <div>
          <dt>{t("decidedBy")}</dt>
          <dd>{dayOf(report.dueAt)}</dd>
        </div>
      </dl>
      <p>{t("keep", { promise: words("promise") })}</p>
      <div className="chips">
        <Link className="btn line" to={paths.report(report.number)}>
          {t("look")}
        </Link>
        <Button look="quiet" onClick={onAnother}>
          {t("another")}
        </Button>
      </div>
    </div>
  );
}
