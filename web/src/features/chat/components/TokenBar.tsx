import type { PromptManifest } from "@/shared/api/types";
import { barOf } from "../manifest";

interface TokenBarProps {
  manifest: PromptManifest;
  character: string;
  /** Whom the reader plays. */
  own: string;
}

/** How the room in a prompt is taken, part by part. */
export function TokenBar({ manifest, character, own }: TokenBarProps) {
  const parts = barOf(manifest, character, own);
  const room = Math.max(manifest.budget, manifest.tokens, 1);
  return (
    <div className="sees-box num">
      <div className="meter sees" aria-hidden="true">
        {parts.map(({ kind, tokens }) => (
          <i key={kind} className={`part-${kind}`} style={{ width: `${(tokens / room) * 100}%` }} />
        ))}
      </div>
      <dl className="key">
        {parts.map(({ kind, name, tokens }) => (
          <div key={kind}>
            <dt>
              <i className={`part-${kind}`} />
              {name}
            </dt>
            <dd>{tokens.toLocaleString("en-GB")}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

export function TokenCount({ manifest }: { manifest: PromptManifest }) {
  const { tokens, budget, estimated } = manifest;
  return (
    <span className="text-3 num">
      {estimated && "about "}
      {tokens.toLocaleString("en-GB")} of {budget.toLocaleString("en-GB")} tokens
    </span>
  );
}
