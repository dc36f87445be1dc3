/** Why a picture failed, in words; codes that are not here get the plain sentence. */
const REASONS: Readonly<Record<string, string>> = {
  moderated: "It went against the house rules.",
  engine_error: "The engine could not draw it.",
  engine_timeout: "It took too long to draw.",
  suspended: "The account was suspended.",
};

export const reasonOf = (code: string | null): string =>
  (code && REASONS[code]) || "This one did not come out.";
