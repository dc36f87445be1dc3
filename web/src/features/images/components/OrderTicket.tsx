import { Coins } from "lucide-react";
import type { ImageFormOptions } from "@/shared/api/types";
import { choicesOf, type ImageChoices, type ImageOption } from "@/shared/catalog/imageOptions";
import { plural } from "@/shared/format";
import { useUser } from "@/shared/store";
import { Button } from "@/shared/ui";

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
  const coins = useUser()?.coins?.available;
  const labels = SAID.flatMap((option) => {
    const chosen = choicesOf(told, option, true).find(({ value }) => value === choices[option]);
    return chosen && chosen.value !== "Default" ? [chosen.label] : [];
  });
  const short = told !== undefined && coins !== undefined && coins < told.cost;
  return (
    <div className="order">
      <div className="order-said">
        <h2>Your order</h2>
        <p>{labels.join(" · ")}</p>
      </div>
      {told && told.cost > 0 && (
        <p className="order-cost num">
          <Coins className="icon" />
          <b>{told.cost}</b> {told.cost === 1 ? "coin" : "coins"}
        </p>
      )}
      <div className="form-foot">
        <Button look="lit" size="big" type="submit" busy={busy}>
          Create Image
        </Button>
        {coins !== undefined && (
          <p className="hint num">
            {short
              ? `You have ${coins.toLocaleString("en-GB")}: more come with the next month of your plan.`
              : `You have ${plural(coins, "coin")}.`}
          </p>
        )}
      </div>
    </div>
  );
}
