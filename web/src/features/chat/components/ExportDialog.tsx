import { useMutation } from "@tanstack/react-query";
import { Braces, FileText, Theater } from "lucide-react";
import { messageOf } from "@/shared/api/errors";
import { toast } from "@/shared/toast";
import { Dialog } from "@/shared/ui";
import { type ExportFormat, exportChat } from "../api";
import { useMessages } from "../i18n";

const FORMATS = [
  { format: "markdown", Icon: FileText, name: "read", what: "readWhat" },
  { format: "json", Icon: Braces, name: "everything", what: "everythingWhat" },
  { format: "sillytavern", Icon: Theater, name: "tavern", what: "tavernWhat" },
] as const;

/** A chat as a file, to keep or to take elsewhere. */
export function ExportDialog({ chatId, onClose }: { chatId: string; onClose: () => void }) {
  const t = useMessages("file");
  const take = useMutation({
    mutationFn: (format: ExportFormat) => exportChat(chatId, format),
    onSuccess: onClose,
    onError: (error) => toast.error(messageOf(error, t("exportFailed"))),
  });
  return (
    <Dialog open onClose={onClose} title={t("exportTitle")} closable className="room">
      <ul className="formats">
        {FORMATS.map(({ format, Icon, name, what }, at) => (
          <li key={format}>
            <button
              type="button"
              data-focus={at === 0 || undefined}
              disabled={take.isPending}
              onClick={() => take.mutate(format)}
            >
              <Icon className="icon" />
              <b>{t(name)}</b>
              <span>{t(what)}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
