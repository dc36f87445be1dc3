import { type FormEvent, useState } from "react";
import { Button, Dialog, TextArea } from "@/shared/ui";
import { useMessages } from "../i18n";

interface ReasonsDialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  hint: string;
  maxLength: number;
  /** The word on the button that does it. */
  action: string;
  /** It takes something away: the button says so. */
  grave?: boolean;
  onSubmit: (reasons: string) => void;
}

/** Nothing is decided without reasons: the person concerned reads them word for word. */
export function ReasonsDialog(props: ReasonsDialogProps) {
  const { open, onClose, title, hint, maxLength, action, grave, onSubmit } = props;
  const t = useMessages("verdict");
  const [reasons, setReasons] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onClose();
    onSubmit(reasons.trim());
    setReasons("");
  };
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <form className="verdict-form" onSubmit={submit}>
        <TextArea
          label={t("reasons")}
          hint={hint}
          rows={5}
          maxLength={maxLength}
          data-focus=""
          value={reasons}
          onChange={(event) => setReasons(event.target.value)}
        />
        <div className="row">
          <Button onClick={onClose}>{t("back")}</Button>
          <Button look={grave ? "rouge" : "lit"} type="submit" disabled={reasons.trim() === ""}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
