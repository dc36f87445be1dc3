/** Which form stands under a policy. */
export type PolicyForm = "complaint" | "removal" | "dmca";

export interface PolicySection {
  heading: string;
  /** Paragraphs, in order. `[words](/path)` is a link inside the site. */
  text?: readonly string[];
  /** A list after the paragraphs. */
  points?: readonly string[];
  /** Paragraphs after the list. */
  after?: readonly string[];
}

export interface Policy {
  /** Last part of the address under `/legal`. */
  slug: string;
  title: string;
  /** One line for the index. */
  summary: string;
  sections: readonly PolicySection[];
  form?: PolicyForm;
}
