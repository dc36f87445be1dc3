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
        `${brand.name} is for adults. You must be 18 or over to register, and you confirm that you are before you do. Every character is an AI and every character is an adult.`,
        "What you generate is yours to answer for. You are responsible for the text and the images you ask for, and for what you do with them.",
      ],
    },
    {
      heading: "What is not allowed",
      text: ["The following is refused by our filters, removed where it gets through, and costs accounts."],
      points: [
        "Anything illegal where you are or where we are.",
        "Any sexual or romantic content with a person who is, seems or is said to be under 18, whatever age is claimed.",
        "Child exploitation in any form, drawn and written forms included.",
        "Hate speech: attacks on people for what they are.",
        "Glorified or instructive violence, terrorism, and encouragement of self-harm.",
        "Someone's private details, or anything that infringes their privacy.",
        "Work that infringes a copyright or a trade mark.",
        "Impersonation, and characters or images of real people, celebrities among them.",
        "Spam, fraud, and attempts to get around the filters or the limits.",
      ],
    },
    {
      heading: "Writing good characters",
      text: [
        "Give a character an age of 18 or over, in the card and in the story. Mark adult themes with the NSFW switch so that nobody meets them unasked. Use tags that are true.",
      ],
    },
    {
      heading: "How it is enforced",
      text: [
        "An automatic filter reads what is submitted. What it is unsure of may be looked at by a person. Depending on what they find, content is refused or removed, and an account is warned, suspended or terminated.",
        "If you think a decision was wrong, the Complaint Policy says how to have it looked at again.",
      ],
    },
  ],
};
