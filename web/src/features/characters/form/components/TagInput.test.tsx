import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Controller, useForm } from "react-hook-form";
import { expect, it } from "vitest";
import { TagInput } from "./TagInput";

function Form({ start, onSend }: { start: string[]; onSend: (tags: string[]) => void }) {
  const { control, handleSubmit } = useForm({ defaultValues: { tags: start } });
  return (
    <form onSubmit={handleSubmit(({ tags }) => onSend(tags))}>
      <Controller
        control={control}
        name="tags"
        render={({ field }) => <TagInput tags={field.value} onChange={field.onChange} />}
      />
      <button type="submit">Send</button>
    </form>
  );
}

function open(...start: string[]) {
  let sent: string[] = [];
  render(
    <Form
      start={start}
      onSend={(tags) => {
        sent = tags;
      }}
    />,
  );
  const send = async () => {
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    return sent;
  };
  return { send, field: screen.getByLabelText<HTMLInputElement>("Tags") };
}

it("takes what was typed and not entered along when it is sent", async () => {
  const { send, field } = open("female");
  await userEvent.type(field, "Lamp light");
  expect(await send()).toEqual(["female", "lamp-light"]);
  expect(field.value).toBe("");
});

it("keeps a tag that was pressed to be changed and left as it was", async () => {
  const { send } = open("female", "books");
  await userEvent.click(screen.getByRole("button", { name: "Edit Books" }));
  await userEvent.tab({ shift: true });
  expect(await send()).toEqual(["female", "books"]);
});

it("adds the tag that was picked, not the beginning that found it", async () => {
  const { send, field } = open();
  await userEvent.type(field, "detec");
  await userEvent.click(screen.getByRole("button", { name: "Detective" }));
  expect(await send()).toEqual(["detective"]);
});

it("keeps what was typed when another tag is pressed to be changed", async () => {
  const { send, field } = open("female", "books");
  await userEvent.type(field, "lamps");
  await userEvent.click(screen.getByRole("button", { name: "Edit Books" }));
  expect(field.value).toBe("Books");
  expect(await send()).toEqual(["female", "lamps", "books"]);
});
