import { Hourglass } from "lucide-react";

/** For its owner: why others do not see a character yet. */
export function HeldNote({ because }: { because: string }) {
  return (
    <div className="note held-note">
      <Hourglass className="icon s" />
      <p>
        <b>Waits for a look.</b> {because} Until then only you see it, and you will be told.
      </p>
    </div>
  );
}
