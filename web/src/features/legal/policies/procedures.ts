import { brand } from "@/brand";
import type { Policy } from "./types";

export const dmca: Policy = {
  slug: "dmca",
  title: "DMCA Policy",
  summary: "Notices of copyright infringement, and answers to them.",
  sections: [
    {
      heading: "Sending a notice",
      text: [
        `If work of yours is used here without permission, send a notice to Support or to ${brand.contactEmail}. It must contain the following.`,
      ],
      points: [
        "Which work is yours, and where it can be seen.",
        "The address of what infringes it here.",
        "Your name, postal address, telephone number and e-mail address.",
        "A statement that you believe in good faith that the use is not authorised by the owner, its agent or the law.",
        "A statement, under penalty of perjury, that the notice is accurate and that you are the owner or act for them.",
        "Your signature, physical or electronic.",
      ],
    },
    {
      heading: "What we do",
      text: [
        "We take preliminary action within 1 to 3 days: as a rule the content is removed or closed to others, and whoever published it gets a copy of the notice. Repeat infringers lose their account.",
      ],
    },
    {
      heading: "Counter-notice",
      text: [
        "If your content was removed by mistake, send a counter-notice to Support with the same details: what was removed and from where, your contact details, a statement under penalty of perjury that you believe in good faith that it was removed by mistake, your consent to the jurisdiction that applies, and your signature.",
        "We pass it on to whoever complained. Unless they go to court, the content may return after a hold of 10 to 14 days.",
      ],
    },
    {
      heading: "Honesty",
      text: [
        "Whoever knowingly misrepresents something in a notice or a counter-notice may be liable for the damage.",
      ],
    },
  ],
};

export const complaint: Policy = {
  slug: "complaint",
  title: "Complaint Policy",
  summary: "How to complain, and when you hear back.",
  sections: [
    {
      heading: "What you can complain about",
      text: [
        "About anything: content that should not be here, a decision on your content or your account, a payment, or the way you were treated. It costs nothing, and nobody is punished for complaining in good faith.",
      ],
    },
    {
      heading: "How",
      text: [
        `Write to ${brand.contactEmail}, or use Support. Say what happened, where and when, and what you would like to be done. If it is about content, add its address.`,
      ],
    },
    {
      heading: "When you hear back",
      points: [
        "Your complaint is acknowledged by e-mail within 24 hours.",
        "We aim to resolve it within 7 business days.",
        "If we need longer, we tell you why and until when.",
      ],
    },
    {
      heading: "If you disagree",
      text: [
        "Ask for a second look: someone who had no part in the first decision makes it again. Your right to go to a court or to an authority is not affected.",
      ],
    },
  ],
};
