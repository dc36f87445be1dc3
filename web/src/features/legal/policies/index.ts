import { guidelines } from "./guidelines";
import { privacy } from "./privacy";
import { complaint, dmca } from "./procedures";
import { blockedContent, contentRemoval, exemption, underage } from "./safety";
import { terms } from "./terms";
import type { Policy } from "./types";

/** In the order of the index. The complaint policy lives at `/complaint`, the others under `/legal`. */
export const POLICIES: readonly Policy[] = [
  guidelines,
  terms,
  privacy,
  underage,
  contentRemoval,
  blockedContent,
  dmca,
  complaint,
  exemption,
];

export { complaint };
