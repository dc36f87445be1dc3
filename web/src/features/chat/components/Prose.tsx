import { memo, type ReactNode } from "react";
import { type Block, blocks, type Piece, pieces } from "../markdown";

const inside = ({ pieces: inner, text }: Piece): ReactNode => (inner ? <Pieces of={inner} /> : text);

function Pieces({ of }: { of: readonly Piece[] }): ReactNode {
  return of.map((piece, at) => {
    const key = `${piece.kind}-${at}`;
    const inner = inside(piece);
    switch (piece.kind) {
      case "action":
        return <em key={key}>{inner}</em>;
      case "speech":
        return (
          <span key={key} className="speech">
            {inner}
          </span>
        );
      case "strong":
        return <strong key={key}>{inner}</strong>;
      case "strike":
        return <s key={key}>{inner}</s>;
      case "code":
        return <code key={key}>{inner}</code>;
      case "link":
        return (
          <a
            key={key}
            className="link"
            href={piece.href}
            target="_blank"
            rel="noopener noreferrer nofollow ugc"
          >
            {inner}
          </a>
        );
      default:
        return <span key={key}>{inner}</span>;
    }
  });
}

/** Words of one line. While a reply is written, only its last line is read anew. */
const Words = memo(({ text }: { text: string }) => <Pieces of={pieces(text)} />);

function Table({ block, caret }: { block: Extract<Block, { kind: "table" }>; caret: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable.
    <div className="prose-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {block.head.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never change places.
              <th key={column} scope="col">
                <Words text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: text only grows at its end.
            <tr key={at}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never change places.
                <td key={column}>
                  <Words text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {caret}
    </div>
  );
}

function Part({ block, caret }: { block: Block; caret: ReactNode }) {
  switch (block.kind) {
    case "rule":
      return <hr />;
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable.
        <pre tabIndex={0}>
          <code>{block.text}</code>
          {caret}
        </pre>
      );
    case "quote":
      return (
        <blockquote>
          {block.lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: text only grows at its end.
            <p key={at}>
              <Words text={line} />
              {at === block.lines.length - 1 && caret}
            </p>
          ))}
        </blockquote>
      );
    case "list": {
      const items = block.items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: text only grows at its end.
        <li key={at}>
          <Words text={item} />
          {at === block.items.length - 1 && caret}
        </li>
      ));
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case "table":
      return <Table block={block} caret={caret} />;
    default:
      return (
        <p className={block.kind === "heading" ? "prose-head" : undefined}>
          <Words text={block.text} />
          {caret}
        </p>
      );
  }
}

interface ProseProps {
  content: string;
  /** A caret at the end: more is coming. */
  writing?: boolean;
}

/** A line of the play: actions in italics, speech in quotes, Markdown's plain part, the rest as it is. */
export const Prose = memo(({ content, writing }: ProseProps) => {
  const parts = blocks(content);
  return parts.map((block, at) => (
    <Part
      // biome-ignore lint/suspicious/noArrayIndexKey: text only grows at its end.
      key={at}
      block={block}
      caret={writing && at === parts.length - 1 && <i className="prose-caret" aria-hidden="true" />}
    />
  ));
});
