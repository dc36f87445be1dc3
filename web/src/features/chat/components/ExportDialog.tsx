import { useMutation } from "@tanstack/react-query";
import { Braces, FileText, Theater } from "lucide-react";
import { messageOf } from "@/shared/api/errors";
import { toast } from "@/shared/toast";
import { Dialog } from "@/shared/ui";
import { type ExportFormat, exportChat } from "../api";

const FORMATS: readonly { format: ExportFormat; Icon: typeof Braces; name: string; what: string }[] = [
  { format: "markdown", Icon: FileText, name: "To read", what: "The messages that are shown, as Markdown." },
  { format: "json", Icon: Braces, name: "Everything", what: "All branches and versions, as JSON." },
  {
    format: "sillytavern",
    Icon: Theater,
    name: "For SillyTavern",
    what: "The messages that are shown, with their versions, as JSON lines.",
  },
];

/** A chat as a file, to keep or to take elsewhere. */
export function ExportDialog({ chatId, onClose }: { chatId: string; onClose: () => void }) {
  const take = useMutation({
    mutationFn: (format: ExportFormat) => exportChat(chatId, format),
    onSuccess: onClose,
    onError: (error) => toast.error(messageOf(error, "The chat could not be exported.")),
  });
  return (
    <Dialog open onClose={onClose} title="Export this chat" closable className="room">
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
              <b>{name}</b>
              <span>{what}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
