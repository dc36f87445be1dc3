import { Star } from "lucide-react";
import { useMessages } from "../i18n";

const FIVE = [1, 2, 3, 4, 5] as const;

/** A rating to read. */
export function Stars({ rating }: { rating: number }) {
  const t = useMessages("ui");
  return (
    <span className="stars" role="img" aria-label={t("ofFive", { rating })}>
      {FIVE.map((n) => (
        <Star key={n} className={n <= Math.round(rating) ? "icon" : "icon off"} />
      ))}
    </span>
  );
}

interface StarPickerProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
}

/** A rating to give. Radio buttons underneath, so arrow keys work. */
export function StarPicker({ label, value, onChange }: StarPickerProps) {
  const t = useMessages("ui");
  return (
    <fieldset className="stars big">
      <legend className="sr">{label}</legend>
      {FIVE.map((n) => (
        <label key={n} className="star-pick">
          <input
            type="radio"
            name="rating"
            className="sr"
            value={n}
            checked={n === value}
            onChange={() => onChange(n)}
          />
          <Star className={n <= value ? "icon" : "icon off"} />
          <span className="sr">{t("stars", { count: n })}</span>
        </label>
      ))}
    </fieldset>
  );
}
