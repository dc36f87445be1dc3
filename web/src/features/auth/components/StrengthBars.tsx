import { Check } from "lucide-react";
import { passwordParts } from "../rules";

/** Three bars, green for length, capital and digit; a check goes with the colour. */
export function StrengthBars({ password }: { password: string }) {
  const parts = passwordParts(password);
  const bars = [
    { name: "8 characters", met: parts.length },
    { name: "Capital", met: parts.capital },
    { name: "Number", met: parts.digit },
  ];
  return (
    <div className="strength">
      {bars.map(({ name, met }) => (
        <div key={name} className={met ? "ok" : undefined}>
          <i />
          <span>
            {met && <Check className="icon" aria-label="Met:" />}
            {name}
          </span>
        </div>
      ))}
    </div>
  );
}
