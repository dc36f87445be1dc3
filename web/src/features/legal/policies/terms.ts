import { brand } from "@/brand";
import type { Policy } from "./types";

export const terms: Policy = {
  slug: "terms",
  title: "Terms of Use",
  summary: "The agreement between you and us.",
  sections: [
    {
      heading: "1. The agreement",
      text: [
        `These terms are an agreement between you and ${brand.legalEntity} ("we"). By registering or by using the service you accept them. If you do not, please do not use it.`,
      ],
    },
    {
      heading: "2. Age",
      text: [
        "The service is for adults only. You must be 18 or over, or of full age where you live if that is later. You confirm your age when you register; a false confirmation ends the agreement.",
      ],
    },
    {
      heading: "3. Your account",
      text: [
        "Keep your password to yourself. What happens through your account counts as yours until you tell us that someone else has it. One person, one account.",
      ],
    },
    {
      heading: "4. What you create",
      text: [
        "You keep whatever rights you have in what you write and generate, and you give us the permission we need to store it, show it to those you choose, and run the service. A character you publish may be chatted with by others.",
        "You are responsible for the content you generate. The Community Guidelines are part of these terms.",
      ],
    },
    {
      heading: "5. AI",
      text: [
        "Every character is an AI. What it says is invented, may be wrong, and is no advice of any kind, medical, legal or financial advice among them. Do not rely on it.",
      ],
    },
    {
      heading: "6. Membership and payment",
      text: [
        "Premium and Deluxe are subscriptions, paid in advance by the month or by the year and renewed until you cancel. You can cancel at any time in your account; what is paid for stays yours until its end. Prices include tax where the law says so.",
        "Coins are part of a plan, have no value in money and cannot be transferred.",
      ],
    },
    {
      heading: "7. Suspension and termination",
      text: [
        "You can close your account at any time. We may suspend or terminate an account that breaks these terms or the Community Guidelines, and refuse or remove content that does.",
      ],
    },
    {
      heading: "8. Liability",
      text: [
        "The service is given as it is. As far as the law allows, our liability to you is limited to what you have paid us in the last 6 months. Nothing here limits liability that the law does not let us limit.",
      ],
    },
    {
      heading: "9. Data after closure",
      text: [
        "What we must keep for legal reasons is retained for 6 years after an account is closed, and then deleted. The Privacy Policy says more.",
      ],
    },
    {
      heading: "10. Law",
      text: [
        "These terms are governed by Belgian law, and the courts of Belgium have jurisdiction. If you are a consumer, the protection that the law of your own country gives you stays with you.",
      ],
    },
    {
      heading: "11. Changes",
      text: ["We may change these terms. If a change matters to you, we say so before it takes effect."],
    },
  ],
};
