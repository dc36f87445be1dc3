import { useQuery } from "@tanstack/react-query";
import { type UseFormReturn, useWatch } from "react-hook-form";
import { plansOptions } from "@/shared/plans";
import { Meter } from "@/shared/ui";
import { useMessages } from "../i18n";
import type { CharacterForm } from "../schema";
import { cardTokens } from "../tokens";

/** Share of a prompt that the card may take; of a longer one, the end is left out. */
const CARD_SHARE = 0.6;

/** How much of a prompt the card takes on each plan: the rest is for the chat and its memories. */
export function Budget({ form }: { form: UseFormReturn<CharacterForm> }) {
  const t = useMessages("preview");
  const values = useWatch({ control: form.control });
  const { data } = useQuery(plansOptions);
  const plans = data?.toSorted((a, b) => a.memoryTokens - b.memoryTokens);
  // What is watched is partial only in its type: the form holds all its fields from the first.
  const tokens = values.book ? cardTokens(form.getValues()) : 0;
  const smallest = plans?.[0];
  return (
    <div className="budget">
      <p className="num">{t.rich("prompt", { count: tokens, b: (text) => <b>{text}</b> })}</p>
      <ul>
        {plans?.map(({ plan, name, memoryTokens }) => (
          <li key={plan}>
            <span>{name}</span>
            <Meter
              label={t("share", { plan: name })}
              value={Math.min(tokens, memoryTokens)}
              max={memoryTokens}
            />
            <span className="num">{memoryTokens.toLocaleString("en-GB")}</span>
          </li>
        ))}
      </ul>
      {smallest && tokens > smallest.memoryTokens * CARD_SHARE && (
        <p className="hint">{t("long", { plan: smallest.name })}</p>
      )}
    </div>
  );
}
