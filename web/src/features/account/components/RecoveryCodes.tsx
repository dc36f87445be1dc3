import { Copy, Download } from "lucide-react";
import { brand } from "@/brand";
import { saveText } from "@/shared/download";
import { toast } from "@/shared/toast";
import { Button } from "@/shared/ui";

interface RecoveryCodesProps {
  codes: readonly string[];
  onDone: () => void;
}

/** Shown this once: whoever closes the dialog without keeping them has to ask for new ones. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const text = codes.join("\n");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast.success("Copied.");
    } catch {
      toast.error("Your browser did not let us copy. Select the codes instead.");
    }
  };
  return (
    <>
      <p className="text-2">
        Each of these codes opens your account once, should your app be gone. We show them this once: keep
        them where you keep your passwords.
      </p>
      <ul className="recovery num" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="plan-foot">
        <Button size="small" onClick={() => void copy()}>
          <Copy className="icon s" />
          Copy
        </Button>
        <Button
          size="small"
          onClick={() => saveText(`${brand.name.toLowerCase()}-recovery-codes.txt`, `${text}\n`)}
        >
          <Download className="icon s" />
          Download
        </Button>
      </div>
      <div className="row">
        <Button look="lit" onClick={onDone}>
          I have kept them
        </Button>
      </div>
    </>
  );
}
