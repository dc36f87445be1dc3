/**
 * All that an operator changes to rename the product, and every claim it makes about itself.
 * `docs/operations` says which claims must be substantiated before going live.
 */
export const brand = {
  name: "Troupe",
  tagline: "AI characters for roleplay",
  /** The rotating line on the home page, in order. */
  taglines: ["No limits.", "Endless roleplay.", "Infinite characters."],
  pitch: "Characters who stay in the scene, remember what you told them and never miss a cue.",
  /** Who answers for the service, as the legal pages name them: name, legal form and seat. Placeholders, as the rest. */
  legalEntity: "Troupe Playhouse BV",
  legalSeat: "Brussels, Belgium",
  /** Day on which the legal texts were last changed, `YYYY-MM-DD`. */
  legalDate: "2026-11-21",
  /** Where Support and 'Open a Ticket' lead: an external community chat. */
  supportUrl: "https://support.invalid/troupe",
  /** Address for complaints, removal requests and notices. */
  contactEmail: "support@troupe.invalid",
  promo: {
    code: "SPOOKYSZN",
    percentOff: 70,
    /** Length of the discount window: 12 h 16 min 48 s, in milliseconds. */
    windowMs: 44_208_000,
  },
  claims: {
    rating: "4.8/5",
    users: "100k+",
    creators: "2400+",
    yearlySaving: "-30%",
    accountSaving: "Save 17%",
  },
} as const;
