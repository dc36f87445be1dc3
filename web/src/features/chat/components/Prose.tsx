import { paragraphs } from "../prose";

interface ProseProps {
  content: string;
  /** A caret at the end: more is coming. */
  writing?: boolean;
}

/** A line of the play: actions in italics, speech in quotes, the rest as it is. */
export function Prose({ content, writing }: ProseProps) {
  const parts = paragraphs(content);
  return parts.map((pieces, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: text only grows at its end.
    <p key={at}>
      {pieces.map((piece, index) => {
        const key = `${piece.kind}-${index}`;
        if (piece.kind === "action") return <em key={key}>{piece.text}</em>;
        if (piece.kind === "speech") {
          return (
            <span key={key} className="speech">
              {piece.text}
            </span>
          );
        }
        return <span key={key}>{piece.text}</span>;
      })}
      {writing && at === parts.length - 1 && <i className="caret" aria-hidden="true" />}
    </p>
  ));
}
