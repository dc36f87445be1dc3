import { useRef, useState } from "react";
import type { Report } from "@/shared/api/types";
import { Segmented } from "@/shared/ui";
import { FORMS, NOTICES, type Notice, type NoticeKind } from "../forms";
import type { PolicyForm } from "../policies/types";
import { NoticeForm } from "./NoticeForm";
import { Receipt } from "./Receipt";

const TITLES: Readonly<Record<PolicyForm, string>> = {
  complaint: "Send a complaint",
  removal: "Ask for removal",
  dmca: "Send a notice",
};

/** The form under a policy; once it is sent, its receipt stands in its place. */
export function NoticeForms({ page }: { page: PolicyForm }) {
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
    return <Receipt report={receipt} promise={NOTICES[kind].promise} onAnother={another} />;
  }
  return (
    <>
      <h2>{TITLES[page]}</h2>
      {kinds.length > 1 && (
        <Segmented
          label="What is it?"
          value={kind}
          onChange={setKind}
          options={kinds.map((value) => ({ value, label: NOTICES[value].name }))}
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
