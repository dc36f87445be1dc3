import { useState } from "react";
import { messageOf } from "@/shared/api/errors";
import type { User, WithdrawalOffer } from "@/shared/api/types";
import { dayOf } from "@/shared/format";
import { toast } from "@/shared/toast";
import { Button, Dialog } from "@/shared/ui";
import { useBeginWithdrawal, useConfirmWithdrawal } from "../money";

const FAILED = "The withdrawal did not go through. Please try again.";

/** The right to withdraw within 14 days, in two steps: what it means, then the confirmation. */
export function Withdrawal({ user }: { user: User }) {
  const [offer, setOffer] = useState<WithdrawalOffer | null>(null);
  const begin = useBeginWithdrawal();
  const confirm = useConfirmWithdrawal();
  const until = user.withdrawableUntil;
  if (!until || new Date(until).getTime() < Date.now()) return null;

  const ask = () =>
    begin.mutate(undefined, {
      onSuccess: setOffer,
      onError: (error) => toast.error(messageOf(error, FAILED)),
    });
  const withdraw = (id: string) =>
    confirm.mutate(id, {
      onSuccess: ({ msg }) => toast.success(msg),
      onError: (error) => toast.error(messageOf(error, FAILED)),
      onSettled: () => setOffer(null),
    });

  return (
    <section className="ledger" aria-labelledby="withdrawal">
      <h2 id="withdrawal">Withdrawal</h2>
      <p className="text-2">
        Until <b className="num">{dayOf(until)}</b> you can withdraw from your purchase without a reason. You
        get back what you paid for the days that have not begun.
      </p>
      <div>
        <Button busy={begin.isPending} onClick={ask}>
          Withdraw from the contract
        </Button>
      </div>
      <Dialog open={offer !== null} onClose={() => setOffer(null)} title="Withdraw from the contract?">
        <p className="text-2">{offer?.statement}</p>
        <div className="row">
          <Button onClick={() => setOffer(null)}>Back</Button>
          <Button look="rouge" busy={confirm.isPending} onClick={() => offer && withdraw(offer.withdrawalId)}>
            Confirm withdrawal
          </Button>
        </div>
      </Dialog>
    </section>
  );
}
