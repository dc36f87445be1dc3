import type { Meta, StoryObj } from "@storybook/react-vite";
import { Plus } from "lucide-react";
import { useState } from "react";
import {
  Avatar,
  Button,
  Checkbox,
  Chip,
  IconButton,
  Logo,
  Meter,
  PasswordField,
  Segmented,
  SelectField,
  StarPicker,
  Stars,
  Switch,
  TextArea,
  TextField,
} from "..";

export default { title: "Controls" } satisfies Meta;

const LOOKS = ["lit", "line", "quiet", "plum", "rouge"] as const;

export const Buttons: StoryObj = {
  render: () => (
    <div className="chips">
      {LOOKS.map((look) => (
        <Button key={look} look={look}>
          {look}
        </Button>
      ))}
      <Button look="line" disabled>
        disabled
      </Button>
      <Button look="line" busy>
        busy
      </Button>
      <Button look="line" size="small">
        small
      </Button>
      <Button look="line" size="big">
        big
      </Button>
      <IconButton label="Create" outlined>
        <Plus className="icon" />
      </IconButton>
    </div>
  ),
};

function Choosing() {
  const [on, setOn] = useState(true);
  const [part, setPart] = useState("chat");
  const [stars, setStars] = useState(4);
  return (
    <div className="flex flex-col items-stretch gap-5">
      <div className="chips">
        <Chip pressed={on} onChange={setOn}>
          Detective
        </Chip>
        <Chip pressed={!on} onChange={() => setOn(!on)}>
          Royalty
        </Chip>
        <Chip pressed={false} onChange={() => undefined} disabled>
          Elf
        </Chip>
      </div>
      <Switch checked={on} onChange={setOn}>
        Show NSFW characters
      </Switch>
      <Checkbox checked={on} onChange={setOn}>
        Remember me
      </Checkbox>
      <Segmented
        label="Mode"
        value={part}
        onChange={setPart}
        options={[
          { value: "chat", label: "Chat" },
          { value: "scene", label: "Scene" },
        ]}
      />
      <StarPicker label="Your rating" value={stars} onChange={setStars} />
      <Stars rating={4.3} />
      <Meter label="Messages used" value={12} max={20} />
    </div>
  );
}
export const Choices: StoryObj = { render: () => <Choosing /> };

export const Fields: StoryObj = {
  render: () => (
    <div className="flex flex-col items-stretch gap-5">
      <TextField label="Name" placeholder="What they are called" hint="Up to 60 characters." />
      <TextField label="E-Mail" defaultValue="wren@" error="Enter a valid email address." />
      <PasswordField label="Password" defaultValue="Prompt-box-7" />
      <TextArea label="Description" rows={3} />
      <SelectField
        label="Style"
        options={[
          { value: "anime", label: "Anime" },
          { value: "realistic", label: "Realistic" },
        ]}
      />
      <TextField label="Disabled" disabled value="Nothing to be done" readOnly />
    </div>
  ),
};

export const Brand: StoryObj = {
  render: () => (
    <div className="chips">
      <span className="logo">
        <Logo />
      </span>
      <Avatar name="Wren" />
      <Avatar name="Bram" size="small" />
    </div>
  ),
};
