import { brand } from "@/brand";
import type { Policy } from "./types";

export const privacy: Policy = {
  slug: "privacy",
  title: "Privacy Policy",
  summary: "What we know about you, why, and for how long.",
  sections: [
    {
      heading: "Who is responsible",
      text: [
        `${brand.legalEntity} is the controller of the data described here. Write to ${brand.contactEmail}.`,
      ],
    },
    {
      heading: "What we keep",
      points: [
        "Your account: e-mail address, username, a hash of your password, your bio and picture if you give them.",
        "What you make: characters, personas, chats, images, reviews, reactions and follows.",
        "Your membership: plan, dates, amounts. Card details stay with the payment provider and never reach us.",
        "Your devices: browser, time zone, address and time of the last login, so that you can see who is in your account.",
        "Technical records: what a server needs to find faults and stop abuse. They hold no chat text and no prompts.",
      ],
    },
    {
      heading: "Why",
      text: [
        "To provide the service you asked for, to bill it, to keep it safe and lawful, and to answer you. We do not sell personal data, and we show no advertising.",
      ],
    },
    {
      heading: "Your chats and images",
      text: [
        "Generated content is private and never shared publicly by us. What you generate is seen by others only if you publish it yourself, as a public character is. An automatic filter reads what is sent, to keep prohibited content out; where it is unsure, a person may look at that passage and no more.",
        "The text needed for a reply is sent to the language model that writes it, and the words of an image to the engine that draws it.",
      ],
    },
    {
      heading: "What your browser keeps",
      text: [
        "Your login, your preferences and the end of the current discount are stored in your browser, because the site does not work without them. There are no trackers and no cookies of third parties.",
      ],
    },
    {
      heading: "How long",
      text: [
        "As long as your account exists. After closure we delete or anonymise what we hold, except what the law makes us keep, which is retained for 6 years.",
      ],
    },
    {
      heading: "Your rights",
      text: [
        "You may ask for a copy of your data, have it corrected, deleted or moved, restrict or object to its use, and take back a consent. You may also complain to the data protection authority; in Belgium this is the Gegevensbeschermingsautoriteit / Autorité de protection des données.",
      ],
    },
  ],
};
