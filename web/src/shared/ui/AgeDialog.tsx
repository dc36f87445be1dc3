import { confirmAge, useAgeQuestion } from "../nsfw";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { useMessages } from "./i18n";

/** 'Confirm your age': asked wherever NSFW is switched on. */
export function AgeDialog() {
  const t = useMessages("age");
  const { asking, close } = useAgeQuestion();
  return (
    <Dialog open={asking} onClose={close} title={t("title")} pelmet>
      <p className="text-2">{t("text")}</p>
      <div className="row">
        <Button onClick={close}>{t("back")}</Button>
        <Button look="lit" onClick={() => void confirmAge()}>
          {t("over18")}
        </Button>
      </div>
    </Dialog>
  );
}
