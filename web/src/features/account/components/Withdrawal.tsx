import { useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { User, WithdrawalOffer } from "@/shared/api/types";
import { dayOf } from "@/shared/format";
import { toast } from "@/shared/toast";
import { Button, Dialog } from "@/shared/ui";
import { useMessages } from "../i18n";
import { useBeginWithdrawal, useConfirmWithdrawal } from "../money";

/** The right to withdraw within 14 days, in two steps: what it means, then the confirmation. */
export function Withdrawal({ user }: { user: User }) {
  const t = useMessages("withdrawal");
  const [offer, setOffer] = useState<WithdrawalOffer | null>(null);
  const begin = useBeginWithdrawal();
  const confirm = useConfirmWithdrawal();
  const until = user.withdrawableUntil;
  if (!until || new Date(until).getTime() < Date.now()) return null;

  const ask = () =>
    begin.mutate(undefined, {
      onSuccess: setOffer,
      onError: (error) => toast.error(messageOf(error, t("failed"))),
    });
  const withdraw = (id: string) =>
    confirm.mutate(id, {
      onSuccess: ({ msg }) => toast.success(msg),
      onError: (error) => toast.error(messageOf(error, t("failed"))),
      onSettled: () => setOffer(null),
    });

  return (
    <section className="ledger" aria-labelledby="withdrawal">
      <h2 id="withdrawal">{t("title")}</h2>
      <p className="text-2">
        {t.rich("text", { day: dayOf(until), b: (text) => <b className="num">{text}</b> })}
      </p>
      <div>
        <Button busy={begin.isPending} onClick={ask}>
          {t("withdraw")}
        </Button>
      </div>
      <Dialog open={offer !== null} onClose={() => setOffer(null)} title={t("ask")}>
        <p className="text-2">{offer?.statement}</p>
        <div className="row">
          <Button onClick={() => setOffer(null)}>{t("back")}</Button>
          <Button look="rouge" busy={confirm.isPending} onClick={() => offer && withdraw(offer.withdrawalId)}>
            {t("confirm")}
          </Button>
        </div>
      </Dialog>
    </section>
  );
}
