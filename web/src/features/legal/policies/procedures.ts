import { brand } from "@/brand";
import type { Policy } from "./types";

export const dmca: Policy = {
  slug: "dmca",
  title: "DMCA Policy",
  summary: "Notices of copyright infringement, and answers to them.",
  form: "dmca",
  sections: [
    {
      heading: "Sending a notice",
      text: [
        `If work of yours is used here without permission, send a notice by the form below, through Support, or to ${brand.contactEmail}. It must contain the following.`,
      ],
      points: [
        "Which work is yours, and where it can be seen.",
        "The address of what infringes it here, one for each place.",
        "Your name, postal address, telephone number and e-mail address.",
        "A statement that you believe in good faith that the use is not authorised by the owner, its agent or the law.",
        "A statement, under penalty of perjury, that the notice is accurate and that you are the owner or act for them.",
        "Your signature, physical or electronic. The name you type into the form counts as one.",
      ],
    },
    {
      heading: "What we do",
      text: [
        "We take preliminary action within 1 to 3 days: as a rule the content is removed or closed to others. Whoever published it gets a copy of the notice and is told how to answer it.",
        "Repeat infringers lose their account.",
      ],
    },
    {
      heading: "Counter-notice",
      text: [
        "If your content was removed by mistake or by misidentification, send a counter-notice by the same form or to Support. It must contain the following.",
      ],
      points: [
        "What was removed, and the address it had.",
        "Your name, postal address, telephone number and e-mail address.",
        "A statement, under penalty of perjury, that you believe in good faith that it was removed by mistake.",
        "Your consent to the jurisdiction of the court of your district, or of Brussels if you live outside the United States, and to being served by whoever sent the notice.",
        "Your signature, physical or electronic.",
      ],
      after: [
        "We pass it on to whoever complained. Unless they tell us within that time that they have gone to court, the content may return after a hold of 10 to 14 days.",
      ],
    },
    {
      heading: "Honesty",
      text: [
        "Whoever knowingly misrepresents something in a notice or a counter-notice may be liable for the damage, costs and fees of lawyers included. If you are not sure whether a use is allowed, ask one first.",
      ],
    },
  ],
};

export const complaint: Policy = {
  slug: "complaint",
  title: "Complaint Policy",
  summary: "How to complain, and when you hear back.",
  form: "complaint",
  sections: [
    {
      heading: "What you can complain about",
      text: [
        "About anything: content that should not be here, a decision on your content or your account, a payment, or the way you were treated. It costs nothing, you need no account, and nobody is punished for complaining in good faith.",
      ],
    },
    {
      heading: "How",
      text: [
        `Use the form below, write to ${brand.contactEmail}, or go through Support. Say what happened, where and when, and what you would like to be done. If it is about content, add its address.`,
        "You are in a picture or a text without having agreed to it? The [Content Removal Policy](/legal/content-removal) has a faster way. Your work is used without permission? The [DMCA Policy](/legal/dmca) has the exact steps.",
      ],
    },
    {
      heading: "When you hear back",
      points: [
        "Your complaint is acknowledged within 24 hours by e-mail. The mail carries a number; keep it.",
        "We aim to resolve it within 7 business days.",
        "If we need longer, we tell you why and until when.",
      ],
    },
    {
      heading: "Who decides",
      text: [
        "A person reads every complaint. What we decide is told to you with its reasons, and to whoever is concerned by it, without your name. Content that is found to be illegal or to break the [Community Guidelines](/legal/guidelines) is removed at once.",
      ],
    },
    {
      heading: "If you disagree",
      text: [
        "Either side may appeal a decision once, free of charge, by the number in the mail on the page of [reports](/reports). Someone who had no part in the first decision makes it again. Your right to go to a court, to an authority or to a certified body for settling disputes out of court is not affected.",
      ],
    },
  ],
};
