import { Coins } from "lucide-react";
import type { ImageFormOptions } from "@/shared/api/types";
import { choicesOf, type ImageChoices, type ImageOption } from "@/shared/catalog/imageOptions";
import { useUser } from "@/shared/store";
import { Button } from "@/shared/ui";
import { useMessages } from "../i18n";

/** In the order in which one would say it. */
const SAID: readonly ImageOption[] = [
  "style",
  "gender",
  "age",
  "ethnicity",
  "hairColor",
  "bodyType",
  "face",
  "pose",
];

interface OrderTicketProps {
  choices: ImageChoices;
  told: ImageFormOptions | undefined;
  busy: boolean;
}

/** What was chosen, what it costs, and the way to have it. */
export function OrderTicket({ choices, told, busy }: OrderTicketProps) {
  const t = useMessages("create");
  const coins = useUser()?.coins?.available;
  const labels = SAID.flatMap((option) => {
    const chosen = choicesOf(told, option, true).find(({ value }) => value === choices[option]);
    return chosen && chosen.value !== "Default" ? [chosen.label] : [];
  });
  const short = told !== undefined && coins !== undefined && coins < told.cost;
  return (
    <div className="order">
      <div className="order-said">
        <h2>{t("order")}</h2>
        <p>{labels.join(" · ")}</p>
      </div>
      {told && told.cost > 0 && (
        <p className="order-cost num">
          <Coins className="icon" />
          {t.rich("cost", { count: told.cost, b: (text) => <b>{text}</b> })}
        </p>
      )}
      <div className="form-foot">
        <Button look="lit" size="big" type="submit" busy={busy}>
          {t("create")}
        </Button>
        {coins !== undefined && (
          <p className="hint num">{t(short ? "fewCoins" : "coins", { count: coins })}</p>
        )}
      </div>
    </div>
  );
}
