import { FileDown, TriangleAlert } from "lucide-react";
import { useRef } from "react";
import { plural } from "@/shared/format";
import { Button } from "@/shared/ui";
import { CARD_TYPES } from "../card";
import type { useCard } from "../useCard";
import { useDrop } from "../useDrop";

type CardPickProps = Pick<ReturnType<typeof useCard>, "card" | "busy" | "problem" | "read" | "importWhole">;

/** Takes a character card, says what it found in it, and offers to import it as it is. */
export function CardPick({ card, busy, problem, read, importWhole }: CardPickProps) {
  const input = useRef<HTMLInputElement>(null);
  const { over, target } = useDrop((file) => void read(file));
  return (
    <section className="form-part" aria-labelledby="part-file">
      <h2 id="part-file" className="sr">
        From a card
      </h2>
      <div className={over ? "card-pick over" : "card-pick"} {...target}>
        <div>
          <p className="card-pick-title">{card ? card.file.name : "Is there a card already?"}</p>
          <p className="hint">
            {card
              ? found(card.read)
              : "Drop a character card here, PNG, JSON or CHARX, up to 25 MB. It fills the form."}
          </p>
        </div>
        <Button onClick={() => input.current?.click()} busy={busy === "reading"}>
          <FileDown className="icon s" />
          {card ? "Another card" : "Choose a card"}
        </Button>
        <input
          ref={input}
          className="sr"
          type="file"
          accept={CARD_TYPES}
          tabIndex={-1}
          aria-label="Character card"
          onChange={(event) => {
            const picked = event.target.files?.[0];
            event.target.value = "";
            if (picked) void read(picked);
          }}
        />
        <div className="card-pick-said" aria-live="polite">
          {problem && (
            <p className="error">
              <TriangleAlert className="icon s" />
              {problem}
            </p>
          )}
          {card && card.read.warnings.length > 0 && (
            <ul className="card-warnings">
              {card.read.warnings.map((warning) => (
                <li key={warning}>{warning}</li>
              ))}
            </ul>
          )}
          {card && (
            <div className="card-whole">
              <p className="hint">
                Look it over below and create it; or import the file as it is, with what this form has no
                fields for.
              </p>
              <Button size="small" busy={busy === "importing"} onClick={() => void importWhole()}>
                Import it whole
              </Button>
            </div>
          )}
        </div>
      </div>
    </section>
  );
}

type Read = NonNullable<CardPickProps["card"]>["read"];

function found({ version, author, assets, card }: Read): string {
  const entries = Array.isArray(card.characterBook?.entries) ? card.characterBook.entries.length : 0;
  return [
    `A ${version.toUpperCase()} card${author ? ` by ${author}` : ""}`,
    card.alternateGreetings.length > 0 && plural(card.alternateGreetings.length, "alternate greeting"),
    entries > 0 && plural(entries, "lorebook entry", "lorebook entries"),
    assets > 1 && plural(assets, "file"),
  ]
    .filter(Boolean)
    .join(" · ");
}
