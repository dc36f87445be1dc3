export interface PolicySection {
  heading: string;
  /** Paragraphs, in order. */
  text?: readonly string[];
  /** A list after the paragraphs. */
  points?: readonly string[];
}

export interface Policy {
  /** Last part of the address under `/legal`. */
  slug: string;
  title: string;
  /** One line for the index. */
  summary: string;
  sections: readonly PolicySection[];
}
