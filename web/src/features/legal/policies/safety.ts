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
        "Registration begins with an age gate: you confirm that you are over 18 before you can enter an e-mail address. Adult themes are hidden until you log in, switch them on and confirm your age again. Where the law of your country asks for more than a confirmation, a proof of age is asked for.",
        "An account that we have reason to believe belongs to a minor is closed, and its data erased. Every page carries the adult rating that the filters of parents look for.",
      ],
    },
    {
      heading: "Nobody under 18 appears in it",
      text: [
        "Characters are 18 or over: in their card, in the story and in every picture. The form takes no lower age, the image engine draws none, and each prompt tells it so.",
        "The following is refused whatever age is claimed, in public and in private, as fiction, drawing or conversation.",
      ],
      points: [
        "Sexual or romantic content with anyone who is, or is said to be, under 18.",
        "Content that resembles minors: bodies, faces, clothes, speech or settings that present somebody as a child.",
        "Ageing a minor up or an adult down to get around this.",
        "Asking for, praising, or making light of child exploitation.",
      ],
    },
    {
      heading: "What happens",
      text: [
        "An automatic filter looks for it in every card, persona, lorebook, message, prompt, picture and reply, in several languages. What it finds is refused and not kept as content. The account is suspended or terminated; there is no warning for this.",
        "Apparent child sexual abuse material is reported to the competent authorities, and what the law asks for is preserved for them.",
      ],
    },
    {
      heading: "Tell us",
      text: [
        `If you meet something that breaks this policy, report it from the menu of the card, by the [complaint form](/complaint), or at ${brand.contactEmail}. Such reports come first, and the content is hidden while we look. Do not send the material itself.`,
        "If you are a parent and your child has an account here, write to us and we close it.",
      ],
    },
  ],
};

export const contentRemoval: Policy = {
  slug: "content-removal",
  title: "Content Removal Policy",
  summary: "How to have something taken down.",
  form: "removal",
  sections: [
    {
      heading: "What can be removed",
      text: ["Anyone may ask, with or without an account, and it costs nothing."],
      points: [
        "Content that shows, describes or imitates you without your consent.",
        "An intimate image of you, real or made, that you did not agree to.",
        "Content that gives away private details about you.",
        "Content that is illegal, or that the [Community Guidelines](/legal/guidelines) forbid.",
        "Work of yours, used without your permission; the [DMCA Policy](/legal/dmca) has the exact steps.",
      ],
    },
    {
      heading: "How to ask",
      text: [
        `Use the form below, go through Support, or write to ${brand.contactEmail}. Say which address the content is at, what is wrong with it, and how we can reach you.`,
        "If it concerns you as a person, we may need evidence of your identity. Wait until we ask, send only what we ask for, and cover what we do not need; it is deleted when the request is settled.",
      ],
    },
    {
      heading: "Intimate images without consent",
      text: [
        "They have a form of their own below. The request is decided within 48 hours, and identical copies go with the picture. If you send the picture and it is one of ours, it is out of sight at once. The picture you send is used to find its copies and is not kept.",
      ],
    },
    {
      heading: "What happens then",
      points: [
        "We confirm by e-mail, within 24 hours, that your request has arrived. The mail carries a number.",
        "We look at the content, and remove it, hide it while we look, or tell you why it stays. We aim to be done within 7 business days.",
        "Content that might show a minor is hidden at once.",
        "Whoever published it is told the reasons, without your name, unless the law says otherwise.",
        "Both sides may appeal once, as the [Complaint Policy](/complaint) says.",
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
        "Violence that is glorified, instructive or aimed at real people.",
        "Infringement of privacy or of copyright.",
        "Impersonation, and content with real people or celebrities.",
      ],
      after: [
        "An adult theme between adults is not blocked. It stays behind the curtain until a reader has logged in, confirmed their age and asked for it.",
      ],
    },
    {
      heading: "How it is found",
      text: [
        "An automatic filter reads characters, personas, lorebooks, messages, prompts and uploaded pictures before they count, and replies and images before you see them. It works by rules, by a classifier and by a list of pictures that were removed before. Private content is read too.",
        "What it cannot decide waits for a manual review. Until a person has looked, only its owner sees it.",
      ],
    },
    {
      heading: "What you see",
      points: [
        "A refusal says that it is one, and which rule it was.",
        "A message that is refused is not sent, and you can change it.",
        "A reply that is refused while it is written ends there, and does not count against your messages.",
        "An image that is refused costs no coins.",
        "A character that waits says so on its page.",
      ],
    },
    {
      heading: "When somebody is in distress",
      text: [
        "If a message speaks of hurting oneself, the character steps aside and shows help lines by country. Nobody is punished for that, and nothing is reported.",
      ],
    },
    {
      heading: "Repeated attempts",
      text: [
        "Repeated or grave attempts lead to suspension of the account, and then to its termination. You are told why.",
      ],
    },
    {
      heading: "When the filter is wrong",
      text: [
        "It will be, now and then. The [Complaint Policy](/complaint) says how to have a decision looked at again, by a person.",
      ],
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
        "All characters are fictional and are 18 or over.",
      ],
    },
    {
      heading: "Pictures that members upload",
      text: [
        `Uploading pictures of real people is forbidden by the [Community Guidelines](/legal/guidelines), and every upload is checked before others see it. With regard to what members upload, ${brand.legalEntity} is not a producer in the sense of the law: it neither makes nor arranges such pictures, and stores them for those who do.`,
        "If you believe that a picture here shows a real person, the [Content Removal Policy](/legal/content-removal) has the form for it.",
      ],
    },
    {
      heading: "Marks",
      text: [
        "Every generated image carries a mark inside the file that says it was made by an algorithm, in the form of the IPTC digital source type.",
      ],
    },
    {
      heading: "Questions",
      text: [
        `Questions about this statement go to ${brand.legalEntity}, ${brand.legalSeat}, ${brand.contactEmail}.`,
      ],
    },
  ],
};
