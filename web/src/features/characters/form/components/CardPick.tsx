import { FileDown, TriangleAlert } from "lucide-react";
import { useRef } from "react";
import { Button } from "@/shared/ui";
import { CARD_TYPES } from "../card";
import { messages, useMessages } from "../i18n";
import type { useCard } from "../useCard";
import { useDrop } from "../useDrop";

type CardPickProps = Pick<ReturnType<typeof useCard>, "card" | "busy" | "problem" | "read" | "importWhole">;

/** Takes a character card, says what it found in it, and offers to import it as it is. */
export function CardPick({ card, busy, problem, read, importWhole }: CardPickProps) {
  const t = useMessages("card");
  const input = useRef<HTMLInputElement>(null);
  const { over, target } = useDrop((file) => void read(file));
  return (
    <section className="form-part" aria-labelledby="part-file">
      <h2 id="part-file" className="sr">
        {t("title")}
      </h2>
      <div className={over ? "card-pick over" : "card-pick"} {...target}>
        <div>
          <p className="card-pick-title">{card ? card.file.name : t("ask")}</p>
          <p className="hint">{card ? found(card.read) : t("drop")}</p>
        </div>
        <Button onClick={() => input.current?.click()} busy={busy === "reading"}>
          <FileDown className="icon s" />
          {t(card ? "another" : "choose")}
        </Button>
        <input
          ref={input}
          className="sr"
          type="file"
          accept={CARD_TYPES}
          tabIndex={-1}
          aria-label={t("label")}
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
              <p className="hint">{t("wholeHint")}</p>
              <Button size="small" busy={busy === "importing"} onClick={() => void importWhole()}>
                {t("whole")}
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
  const greetings = card.alternateGreetings.length;
  const t = messages("card");
  return [
    t(author ? "foundBy" : "found", { version: version.toUpperCase(), author }),
    greetings > 0 && t("greetings", { count: greetings }),
    entries > 0 && t("entries", { count: entries }),
    assets > 1 && t("files", { count: assets }),
  ]
    .filter(Boolean)
    .join(" · ");
}
