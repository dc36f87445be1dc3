import { confirmAge, useAgeQuestion } from "../nsfw";
import { Button } from "./Button";
import { Dialog } from "./Dialog";

/** 'Confirm your age': asked wherever NSFW is switched on. */
export function AgeDialog() {
  const { asking, close } = useAgeQuestion();
  return (
    <Dialog open={asking} onClose={close} title="Confirm your age" pelmet>
      <p className="text-2">
        Some characters here are written for adults. You can switch this off again at any time, at the foot of
        every page.
      </p>
      <div className="row">
        <Button onClick={close}>Go back</Button>
        <Button look="lit" onClick={() => void confirmAge()}>
          I'm over 18
        </Button>
      </div>
    </Dialog>
  );
}
