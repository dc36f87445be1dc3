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
        `${brand.legalEntity}, ${brand.legalSeat}, is the controller of the data described here. Write to ${brand.contactEmail} about anything on this page. We answer within one month.`,
      ],
    },
    {
      heading: "What we keep",
      points: [
        "Your account: e-mail address, username, a hash of your password, your bio and picture if you give them, and the day on which you confirmed your age.",
        "What you make: characters, personas, lorebooks, chats with their memories, images, reviews, reactions, follows and blocks.",
        "Your membership: plan, dates, amounts, receipts and coins. Card details stay with the payment provider and never reach us.",
        "Your devices: browser, time zone, address and time of the last login, so that you can see who is in your account and end it.",
        "Reports: what you report or what is reported about you, with its decision and reasons.",
        "Technical records: what a server needs to find faults and stop abuse. They hold no chat text, no prompts, no passwords and no e-mail addresses.",
      ],
    },
    {
      heading: "Why, and on what ground",
      points: [
        "To give you the service you asked for and to bill it: because of our agreement with you.",
        "To keep prohibited content and abuse out, to answer reports, and to keep accounts safe: because of our legitimate interest, and where the law says so, because of our duty.",
        "To keep invoices and evidence: because the law asks for it.",
        "To show adult themes: because you confirmed your age and switched them on. You may switch them off at the foot of every page.",
      ],
      after: ["We do not sell personal data, we show no advertising, and no model is trained on your chats."],
    },
    {
      heading: "Your chats and images",
      text: [
        "Generated content is private, never shared publicly by us. What you generate is seen by others only if you publish it yourself, as a public character or a picture you made public is.",
        "An automatic filter reads what is sent and what is answered, to keep prohibited content out. Where it is unsure, a person may look at that passage and at no more of the chat.",
        "What a character remembers of your chats is listed in the Memories of its page. You can change and delete each of them there. What you delete does not come back through memory.",
      ],
    },
    {
      heading: "Who else sees data",
      points: [
        "The provider of the language model gets the text it needs to write a reply; the provider of the image engine gets the words of a picture. Neither gets your e-mail address.",
        "The payment provider gets what a payment needs.",
        "Hosting and e-mail providers store and carry the data for us, under a contract and on our instructions.",
        "Authorities get what the law obliges us to give, and no more.",
      ],
      after: [
        "Where one of them is outside the European Economic Area, the contract holds them to its level of protection by the standard clauses of the European Commission.",
      ],
    },
    {
      heading: "What your browser keeps",
      text: [
        "Your login, your preferences, drafts of forms and the end of the current discount are stored in your browser, because the site does not work without them. There are no trackers and no cookies of third parties, so there is no banner to click away.",
      ],
    },
    {
      heading: "How long",
      points: [
        "Your account and what you made: as long as the account exists, or until you delete it.",
        "What you delete can be brought back for a short while; then it is erased.",
        "After closure of the account we delete or anonymise what we hold. What the law makes us keep, invoices and decisions among it, is retained for 6 years after closure and then deleted.",
        "Technical records: as long as finding faults and stopping abuse needs them.",
      ],
    },
    {
      heading: "Your rights",
      text: [
        "You may ask for access to your data, have it corrected or erased, take it elsewhere, restrict its use, object to it, and take back a consent. Under Account, Security you can download all of it and delete your account without asking anyone.",
        "No decision with legal effect is left to a machine alone: whatever the filter decides about your account, a person looks at it when you appeal.",
        "You may complain to the data protection authority of your country. In Belgium this is the Gegevensbeschermingsautoriteit / Autorité de protection des données, Drukpersstraat 35, 1000 Brussels.",
      ],
    },
    {
      heading: "Adults only",
      text: [
        "The service is not meant for anyone under 18, and we do not knowingly keep data of minors. If you believe that a minor uses it, tell us as the [Underage Policy](/legal/underage) says; the account is closed and its data erased.",
      ],
    },
  ],
};
