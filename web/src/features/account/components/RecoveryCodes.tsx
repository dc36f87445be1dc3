import { Copy, Download } from "lucide-react";
import { brand } from "@/brand";
import { saveText } from "@/shared/download";
import { toast } from "@/shared/toast";
import { Button } from "@/shared/ui";
import { useMessages } from "../i18n";

interface RecoveryCodesProps {
  codes: readonly string[];
  onDone: () => void;
}

/** Shown this once: whoever closes the dialog without keeping them has to ask for new ones. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const t = useMessages("recovery");
  const text = codes.join("\n");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast.success(t("copied"));
    } catch {
      toast.error(t("copyFailed"));
    }
  };
  return (
    <>
      <p className="text-2">{t("lead")}</p>
      <ul className="recovery num" aria-label={t("title")}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="plan-foot">
        <Button size="small" onClick={() => void copy()}>
          <Copy className="icon s" />
          {t("copy")}
        </Button>
        <Button
          size="small"
          onClick={() => saveText(`${brand.name.toLowerCase()}-recovery-codes.txt`, `${text}\n`)}
        >
          <Download className="icon s" />
          {t("download")}
        </Button>
      </div>
      <div className="row">
        <Button look="lit" onClick={onDone}>
          {t("kept")}
        </Button>
      </div>
    </>
  );
}
