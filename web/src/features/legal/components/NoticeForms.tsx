import { useRef, useState } from "react";
import type { Report } from "@/shared/api/types";
import { Segmented } from "@/shared/ui";
import { FORMS, type Notice, type NoticeKind } from "../forms";
import { useMessages } from "../i18n";
import type { PolicyForm } from "../policies/types";
import { NoticeForm } from "./NoticeForm";
import { Receipt } from "./Receipt";

/** What a kind of notice is called where a page has two. */
function Name({ kind }: { kind: NoticeKind }) {
  return useMessages(kind)("name");
}

/** The form under a policy; once it is sent, its receipt stands in its place. */
export function NoticeForms({ page }: { page: PolicyForm }) {
  const t = useMessages("form");
  const kinds = FORMS[page];
  const [kind, setKind] = useState<NoticeKind | undefined>(kinds[0]);
  const [receipt, setReceipt] = useState<Report | null>(null);
  /** Whoever finds that it is another kind of notice need not write it again. */
  const begun = useRef<Partial<Notice>>({});
  if (!kind) return null;
  if (receipt) {
    const another = () => {
      begun.current = {};
      setReceipt(null);
    };
    return <Receipt report={receipt} kind={kind} onAnother={another} />;
  }
  return (
    <>
      <h2>{t(page)}</h2>
      {kinds.length > 1 && (
        <Segmented
          label={t("kind")}
          value={kind}
          onChange={setKind}
          options={kinds.map((value) => ({ value, label: <Name kind={value} /> }))}
        />
      )}
      <NoticeForm
        kind={kind}
        key={kind}
        onFiled={setReceipt}
        begun={begun.current}
        onWritten={(notice) => {
          begun.current = notice;
        }}
      />
    </>
  );
}
