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
        `These terms are an agreement between you and ${brand.legalEntity}, ${brand.legalSeat} ("we"), about your use of ${brand.name}. By registering or by using the service you accept them. If you do not, please do not use it.`,
        "The [Community Guidelines](/legal/guidelines) and the policies on this site are part of these terms. The [Privacy Policy](/legal/privacy) says what happens to your data.",
      ],
    },
    {
      heading: "2. Adults only",
      text: [
        "The service is for adults only. You must be 18 or over, or of full age where you live if that is later. You confirm that you are over 18 when you register, and again before adult themes are shown. Where the law asks for more than your word, we may ask for proof.",
        "A false confirmation ends the agreement.",
      ],
    },
    {
      heading: "3. Your account",
      text: [
        "Give an e-mail address that is yours and keep your password to yourself. One person, one account; it cannot be sold or lent. What happens through your account counts as yours until you tell us that someone else has it.",
      ],
    },
    {
      heading: "4. What the service is",
      text: [
        "You chat with characters, write your own, follow those who write them, and have images drawn. Every character is an AI. What it says is invented, may be wrong, and is no advice of any kind, medical, legal or financial advice among them. Do not rely on it, and do not act on it.",
        "We change the service as we go: models are replaced, features come and leave. If a change takes away what you have paid for, you may end the membership and get the rest of what you paid back.",
      ],
    },
    {
      heading: "5. What you create",
      text: [
        "You keep whatever rights you have in what you write and generate. You give us the permission that running the service needs: to store it, to show it to those you choose, and to have the models read it. The permission ends when you delete it.",
        "A character you publish may be found, followed, reviewed and chatted with by others. Whether others may keep its card is your choice. What they have said to it stays theirs, also after you take it down.",
        "You are responsible for the content you generate, for having the rights in what you upload, and for what you do with the result.",
      ],
    },
    {
      heading: "6. What is forbidden",
      text: [
        "Illegal content, hate speech, violence against people, child exploitation, content resembling minors, infringement of privacy or copyright, impersonation and content with celebrities or other real people are forbidden, in private too. So is disturbing the service: attacking it, scraping it, getting around its limits or its filters, or using it to build a copy of it.",
        "An automatic filter reads what is sent; a person may review what it finds. The [Community Guidelines](/legal/guidelines) have the whole list.",
      ],
    },
    {
      heading: "7. Membership and payment",
      text: [
        "Premium and Deluxe are subscriptions, paid in advance by the month or by the year and renewed until you cancel. The price is shown before you pay and includes tax where the law says so. A discount holds for what it says and for no more.",
        "You can cancel at any time under Account. What is paid for stays yours until the end of the period, and nothing is renewed after it.",
        "Coins come with a plan each month and pay for pictures. They have no value in money, cannot be transferred and end with the membership. A picture that fails or is refused costs none.",
      ],
    },
    {
      heading: "8. Withdrawal",
      text: [
        "A consumer in the European Union may withdraw from a membership within 14 days of paying for it, without giving a reason, by the button under Account or by any clear statement to us. We pay back what was paid within 14 days, less the part that you have used, if you had asked us to begin at once. You get a receipt by e-mail.",
      ],
    },
    {
      heading: "9. Suspension and termination",
      text: [
        "You can close your account at any time. We may refuse or remove content, and limit, suspend or terminate an account, when these terms or the guidelines are broken, in proportion to what happened. You are told why, and you may appeal as the [Complaint Policy](/complaint) says. Content with minors ends an account at once.",
        "If we end a paid membership without a reason that lies with you, we pay back the part that is left.",
      ],
    },
    {
      heading: "10. Liability",
      text: [
        "The service is given as it is. We do our best to keep it running and do not promise that it always will. As far as the law allows, our liability to you is limited to what you have paid us in the last 6 months.",
        "Nothing here limits liability for intent, for gross negligence, for injury to life or body, or any other that the law does not let us limit, and nothing takes from the rights that a consumer has by law.",
      ],
    },
    {
      heading: "11. Data after closure",
      text: [
        "When an account is closed, what we hold is deleted or anonymised. What we must keep for legal reasons is retained for 6 years after closure and then deleted.",
      ],
    },
    {
      heading: "12. Law and courts",
      text: [
        "These terms are governed by Belgian law, and the courts of Brussels have jurisdiction. If you are a consumer, the protection that the law of your own country gives you stays with you, and you may go to the courts of the place where you live.",
      ],
    },
    {
      heading: "13. Changes",
      text: [
        "We may change these terms. If a change matters to you, we tell you by e-mail at least 30 days before it takes effect; until then you may end the agreement. If one of these rules does not hold, the others do.",
      ],
    },
    {
      heading: "14. Reaching us",
      text: [
        `${brand.legalEntity}, ${brand.legalSeat}, ${brand.contactEmail}. Complaints have a form of their own on the [Complaint Policy](/complaint) page.`,
      ],
    },
  ],
};
