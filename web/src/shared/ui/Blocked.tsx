import { useState } from "react";
import type { Block } from "../api/types";
import { useUnblock } from "../blocks";
import { Button } from "./Button";
import { Empty } from "./Empty";

/** In place of what the reader has blocked: that they did, and the way back. */
export function Blocked({ block, page }: { block: Block; page?: boolean }) {
  const unblock = useUnblock();
  const [busy, setBusy] = useState(false);
  const lift = async () => {
    setBusy(true);
    if (!(await unblock(block))) setBusy(false);
  };
  return (
    <Empty
      page={page}
      title={`You have blocked ${block.label}`}
      action={
        <Button busy={busy} onClick={() => void lift()}>
          Unblock
        </Button>
      }
    >
      Nothing of it is shown to you, here or in any list.
    </Empty>
  );
}
