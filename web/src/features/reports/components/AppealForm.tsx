import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { z } from "zod";
import { messageOf } from "@/shared/api/errors";
import { MAX_REPORT_CHARS, MIN_REPORT_CHARS } from "@/shared/report";
import { toast } from "@/shared/toast";
import { Button, TextArea } from "@/shared/ui";
import { useAppeal } from "../api";

const schema = z.object({
  text: z.string().trim().min(MIN_REPORT_CHARS, "At least 10 characters.").max(MAX_REPORT_CHARS),
});

/** The one appeal against a decision. */
export function AppealForm({ number }: { number: string }) {
  const appeal = useAppeal(number);
  const form = useForm<z.infer<typeof schema>>({
    resolver: zodResolver(schema),
    defaultValues: { text: "" },
  });
  const send = form.handleSubmit(({ text }) =>
    appeal.mutate(text, {
      onSuccess: () => toast.success("Your appeal is with us."),
      onError: (error) => toast.error(messageOf(error, "Your appeal could not be sent. Please try again.")),
    }),
  );
  return (
    <form className="appeal" noValidate onSubmit={(event) => void send(event)}>
      <h2>Appeal</h2>
      <TextArea
        label="Why the decision is wrong"
        hint="You may appeal once. Somebody else than before decides."
        maxLength={MAX_REPORT_CHARS}
        error={form.formState.errors.text?.message}
        {...form.register("text")}
      />
      <Button look="lit" type="submit" busy={appeal.isPending}>
        Send appeal
      </Button>
    </form>
  );
}
