import { brand } from "@/brand";
import type { Policy } from "./types";

export const guidelines: Policy = {
  slug: "guidelines",
  title: "Community Guidelines",
  summary: "What may be written, drawn and played here, and what may not.",
  sections: [
    {
      heading: "Who this house is for",
      text: [
        `${brand.name} is for adults. You must be 18 or over to register, and you confirm that you are before you do. Every character is an AI, and every character is an adult.`,
        "Stories may be dark, strange, funny, romantic or explicit. What follows draws the line for all of them: for what you write, for what you have drawn, for what you say in a chat, and for what you publish.",
      ],
    },
    {
      heading: "What you generate is yours to answer for",
      text: [
        "You are responsible for the text and the images you ask for, and for what you do with them afterwards. That a model wrote the sentence changes nothing: you asked for it. Accounts that break these guidelines may be suspended or terminated.",
      ],
    },
    {
      heading: "What is not allowed",
      text: [
        "The following is refused by our filters and removed where it gets through. It is not allowed in private either, and calling it fiction does not change that.",
      ],
      points: [
        "Illegal content: anything that is against the law where you are or in Belgium, and instructions for it.",
        "Child exploitation in any form, drawn and written forms included.",
        "Content that resembles minors: any sexual or romantic content with a person who is, seems or is said to be under 18, whatever age is claimed for them.",
        "Hate speech: attacks on people for their origin, colour, religion, sex, gender, orientation, disability or illness.",
        "Violence that is glorified, instructive or aimed at real people, terrorism, and encouragement of self-harm.",
        "Infringement of privacy: somebody's name, address, face, messages or health, without their consent.",
        "Infringement of copyright or of a trade mark.",
        "Impersonation and celebrity content: characters or images of real people, whether famous or known only to you.",
        "Spam, fraud, harassment of other members, and attempts to get around the filters or the limits.",
      ],
    },
    {
      heading: "Writing good characters",
      text: ["A character is published for strangers. Four habits keep the bill honest."],
      points: [
        "Give a character an age of 18 or over, and let the story, the words and the portrait agree with it.",
        "Mark adult themes with the NSFW switch, so that nobody meets them unasked.",
        "Use tags that are true. At most five of them, so choose those that help a reader decide.",
        "Portraits are drawn, or are yours to use. Photographs of real people are not.",
      ],
    },
    {
      heading: "Reviews and other people",
      text: [
        "Behind every creator is a person. Review the character, not its writer. Disagree freely; do not threaten, expose or pester. You can block a creator, a character or a tag and will not be shown it again, and you can report what breaks these guidelines from the menu of every card.",
      ],
    },
    {
      heading: "How it is enforced",
      text: [
        "An automatic filter reads what is submitted, before it counts. What it is unsure of may be reviewed by a person, and waits until that is done. What is refused is not shown, and nobody pays for it.",
        "Depending on what is found and how often, content is refused, marked, hidden or removed, and an account is warned, suspended or terminated. Content with minors ends an account at once and is reported to the authorities.",
        "Whoever is concerned by a decision gets its reasons and may appeal, free of charge. The [Complaint Policy](/complaint) says how; the [Blocked Content Policy](/legal/blocked-content) says more about the filter.",
      ],
    },
  ],
};
