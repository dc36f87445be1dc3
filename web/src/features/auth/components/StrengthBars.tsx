import { Check } from "lucide-react";
import { useMessages } from "../i18n";
import { passwordParts } from "../rules";

/** Three bars, green for length, capital and digit; a check goes with the colour. */
export function StrengthBars({ password }: { password: string }) {
  const t = useMessages("auth");
  const parts = passwordParts(password);
  const bars = [
    { name: t("eight"), met: parts.length },
    { name: t("capital"), met: parts.capital },
    { name: t("number"), met: parts.digit },
  ];
  return (
    <div className="strength">
      {bars.map(({ name, met }) => (
        <div key={name} className={met ? "ok" : undefined}>
          <i />
          <span>
            {met && <Check className="icon" aria-label={t("met")} />}
            {name}
          </span>
        </div>
      ))}
    </div>
  );
}
