import { Download } from "lucide-react";
import { useState } from "react";
import { brand } from "@/brand";
import { messageOf } from "@/shared/api/errors";
import type { User } from "@/shared/api/types";
import { download } from "@/shared/download";
import { dayOf } from "@/shared/format";
import { toast } from "@/shared/toast";
import { Button, Dialog } from "@/shared/ui";
import { useMessages } from "../i18n";
import { type Legacy, useDeletion, useKeepAccount } from "../security";
import { PasswordAgain } from "./PasswordAgain";

const LEGACIES: readonly Legacy[] = ["remove", "anonymise"];

function DeleteDialog({ onClose }: { onClose: () => void }) {
  const t = useMessages("data");
  const [characters, setCharacters] = useState<Legacy>("remove");
  const deletion = useDeletion();
  const erase = async (password: string) => {
    const { msg } = await deletion.mutateAsync({ password, characters });
    toast.success(msg);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={t("deleteAsk")}>
      <PasswordAgain
        lead={t("deleteText")}
        label={t("password")}
        keep={t("keep")}
        go={t("confirm")}
        failed={t("deleteFailed")}
        before={
          <fieldset className="legacy">
            <legend className="label">{t("characters")}</legend>
            {LEGACIES.map((value) => (
              <label key={value}>
                <input
                  type="radio"
                  name="characters"
                  checked={characters === value}
                  onChange={() => setCharacters(value)}
                />
                <span>
                  {t(value)}
                  <span className="hint">{t(`${value}Hint`)}</span>
                </span>
              </label>
            ))}
          </fieldset>
        }
        onKeep={onClose}
        onGo={erase}
      />
    </Dialog>
  );
}

/** The note goes with its button: the focus goes to where the page begins. */
const toMain = () => document.getElementById("main")?.focus({ preventScroll: true });

/** An account that is to be erased says so on every tab, with the way back beside it. */
export function ErasureNote({ user }: { user: User }) {
  const t = useMessages("data");
  const keep = useKeepAccount();
  if (!user.erasedAt) return null;
  return (
    <p className="note plan-note" role="status">
      <span>
        {t.rich("erased", { day: dayOf(user.erasedAt), b: (text) => <b className="num">{text}</b> })}
      </span>
      <Button
        size="small"
        busy={keep.isPending}
        onClick={() => keep.mutate(undefined, { onSuccess: toMain })}
      >
        {t("keep")}
      </Button>
    </p>
  );
}

/** All that is stored, as a file; and the end of the account. */
export function YourData({ user }: { user: User }) {
  const t = useMessages("data");
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await download("account/export", `${brand.name.toLowerCase()}-account.json`);
    } catch (error) {
      toast.error(messageOf(error, t("downloadFailed")));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-labelledby="your-data" tabIndex={-1}>
      <h2 id="your-data">{t("title")}</h2>
      <p className="text-2">{t("lead")}</p>
      <div className="plan-foot">
        <Button busy={busy} onClick={() => void save()}>
          <Download className="icon s" />
          {t("download")}
        </Button>
        {!user.erasedAt && (
          <Button look="quiet" onClick={() => setAsking(true)}>
            {t("delete")}
          </Button>
        )}
      </div>
      {asking && <DeleteDialog onClose={() => setAsking(false)} />}
    </section>
  );
}
