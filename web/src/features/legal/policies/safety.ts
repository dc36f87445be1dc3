import { brand } from "@/brand";
import type { Policy } from "./types";

export const underage: Policy = {
  slug: "underage",
  title: "Underage Policy",
  summary: "Adults only, on both sides of the footlights.",
  sections: [
    {
      heading: "Nobody under 18 uses the service",
      text: [
        "Registration begins with an age gate: you confirm that you are over 18 before you can enter an e-mail address. Adult themes ask for that confirmation again before they are shown.",
        "An account that we have reason to believe belongs to a minor is closed, and its data deleted. Parents can keep the site from a device with the usual filters; every page carries the adult rating they look for.",
      ],
    },
    {
      heading: "Nobody under 18 appears in it",
      text: [
        "Characters have an age of 18 or over. This holds for their card, for the story and for every picture. Content that depicts or resembles minors, or speaks of them in a sexual or romantic way, is refused by the filter whatever age is claimed, and the account behind it is terminated.",
        "Apparent child sexual abuse material is reported to the authorities.",
      ],
    },
    {
      heading: "Tell us",
      text: [
        `If you meet something that breaks this policy, write to ${brand.contactEmail} at once. Such reports come first.`,
      ],
    },
  ],
};

export const contentRemoval: Policy = {
  slug: "content-removal",
  title: "Content Removal Policy",
  summary: "How to have something taken down.",
  sections: [
    {
      heading: "What can be removed",
      text: ["Anyone may ask, with or without an account."],
      points: [
        "Content that shows, describes or imitates you without your consent.",
        "Content that gives away private details about you.",
        "Content that is illegal, or that the Community Guidelines forbid.",
        "Work of yours, used without your permission; the DMCA Policy has the exact steps.",
      ],
    },
    {
      heading: "How to ask",
      text: [
        `Write to ${brand.contactEmail} or use Support. Say which address the content is at, what is wrong with it, and how we can reach you. If it concerns you as a person, we may need evidence of your identity; send only what we ask for, and we delete it when the request is settled.`,
      ],
    },
    {
      heading: "What happens then",
      text: [
        "We confirm that your request has arrived, look at the content, and remove it, hide it while we look, or tell you why it stays. Content that might show a minor is hidden at once. Whoever published it is told, without your name, unless the law says otherwise.",
      ],
    },
  ],
};

export const blockedContent: Policy = {
  slug: "blocked-content",
  title: "Blocked Content Policy",
  summary: "What the filters refuse, and what happens then.",
  sections: [
    {
      heading: "What is blocked",
      points: [
        "Illegal content of every kind.",
        "Child exploitation, and content that resembles minors.",
        "Hate speech.",
        "Violence that is glorified, instructive or without consent.",
        "Infringement of privacy or of copyright.",
        "Impersonation, and content with real people or celebrities.",
      ],
    },
    {
      heading: "How it is found",
      text: [
        "An automatic filter reads characters, personas, messages, prompts and uploaded pictures before they count, and replies and images before you see them. What it cannot decide may be reviewed by a person.",
      ],
    },
    {
      heading: "What you see",
      text: [
        "A refusal says that it is one. A message that is refused is not stored as sent, and an image that is refused costs no coins. Repeated or grave attempts lead to suspension or termination of the account.",
      ],
    },
    {
      heading: "When the filter is wrong",
      text: ["It will be, now and then. The Complaint Policy says how to have a decision looked at again."],
    },
  ],
};

export const exemption: Policy = {
  slug: "2257",
  title: "18 U.S.C. 2257 Exemption",
  summary: "Why no performer records are kept: there are no performers.",
  sections: [
    {
      heading: "Statement",
      text: [
        `Everything that ${brand.name} shows or generates is made by a computer. No picture here depicts an actual human being, and no person was photographed or filmed for it. The record-keeping requirements of 18 U.S.C. 2257 and 2257A and of 28 C.F.R. Part 75 apply to depictions of actual human beings and therefore do not apply to this content.`,
        "All characters are fictional and are 18 or over. Uploading pictures of real people is forbidden by the Community Guidelines.",
      ],
    },
    {
      heading: "Questions",
      text: [`Questions about this statement go to ${brand.contactEmail}.`],
    },
  ],
};
