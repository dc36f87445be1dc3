import type { PromptManifest } from "@/shared/api/types";
import { useMessages } from "../i18n";
import { barOf } from "../manifest";
import { useTimes } from "../useTimes";

interface TokenBarProps {
  manifest: PromptManifest;
  character: string;
  /** Whom the reader plays. */
  own: string;
}

/** How the room in a prompt is taken, part by part. */
export function TokenBar({ manifest, character, own }: TokenBarProps) {
  useMessages("sees");
  const { count } = useTimes();
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
            <dd>{count(tokens)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

export function TokenCount({ manifest }: { manifest: PromptManifest }) {
  const t = useMessages("sees");
  const { tokens, budget, estimated } = manifest;
  return <span className="text-3 num">{t(estimated ? "aboutTokens" : "ofTokens", { tokens, budget })}</span>;
}
