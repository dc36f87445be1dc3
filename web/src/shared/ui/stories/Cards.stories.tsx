import type { Meta, StoryObj } from "@storybook/react-vite";
import { makeCard } from "@/test/make";
import { Blocked, Empty, Failure, Lock, Locked, Playbill, PlaybillSkeletons } from "..";

export default { title: "Cards" } satisfies Meta;

const long = "Owns the Half Moon, the club where every secret in the city comes to drink. ".repeat(4);

export const Playbills: StoryObj = {
  render: () => (
    <div className="grid">
      <Playbill character={makeCard({ name: "Vesper Lang", description: long, imageUrl: null })} />
      <Playbill character={makeCard({ name: "Captain Bram Okonkwo", deluxe: true, imageUrl: null })} />
      <Playbill character={makeCard({ name: "Behind the curtain", nsfw: true })} />
    </div>
  ),
};

export const Loading: StoryObj = {
  render: () => (
    <div className="grid">
      <PlaybillSkeletons count={6} />
    </div>
  ),
};

export const Nothing: StoryObj = {
  render: () => <Empty title="The stage is yours">Nobody has been created here yet.</Empty>,
};

export const Failed: StoryObj = {
  render: () => <Failure message="Failed to load characters. Please try again." onRetry={() => undefined} />,
};

export const Behind: StoryObj = {
  render: () => (
    <Locked
      behind={
        <div className="grid">
          <Playbill character={makeCard({ imageUrl: null })} />
          <Playbill character={makeCard({ name: "Roz", imageUrl: null })} />
        </div>
      }
    >
      <Lock>Searching is free with an account. It takes a minute and no card.</Lock>
    </Locked>
  ),
};

export const Unwanted: StoryObj = {
  render: () => <Blocked block={{ kind: "tag", target: "politics", label: "Politics" }} />,
};
