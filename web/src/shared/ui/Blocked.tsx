import { useState } from "react";
import type { Block } from "../api/types";
import { useUnblock } from "../blocking";
import { Button } from "./Button";
import { Empty } from "./Empty";
import { useMessages } from "./i18n";

/** In place of what the reader has blocked: that they did, and the way back. */
export function Blocked({ block, page }: { block: Block; page?: boolean }) {
  const t = useMessages("card");
  const unblock = useUnblock();
  const [busy, setBusy] = useState(false);
  const lift = async () => {
    setBusy(true);
    if (!(await unblock(block))) setBusy(false);
  };
  return (
    <Empty
      page={page}
      title={t("blocked", { name: block.label })}
      action={
        <Button busy={busy} onClick={() => void lift()}>
          {t("unblock")}
        </Button>
      }
    >
      {t("blockedText")}
    </Empty>
  );
}
