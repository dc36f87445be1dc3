import { RotateCcw } from "lucide-react";
import { type CSSProperties, useId } from "react";
import { IconButton } from "@/shared/ui";
import { useMessages } from "../i18n";
import { type BoundDial, onStep, shareOf, slides } from "../sampling";

interface DialFieldProps {
  of: BoundDial;
  /** What was set for this chat, if anything. */
  value: number | null | undefined;
  /** What the preset says, if anything. */
  preset: number | null | undefined;
  disabled: boolean;
  /** That the engine does not know it was said already. */
  told: boolean;
  onChange: (value: number | undefined) => void;
}

/** A number within bounds: a slider, or a field where a slider would be too fine; left alone, the preset holds. */
export function DialField({ of, value, preset, disabled, told, onChange }: DialFieldProps) {
  const t = useMessages("sampling");
  const id = useId();
  const { dial, bound } = of;
  const name = t(dial);
  const shown = value ?? preset;
  const own = value !== null && value !== undefined;
  const input = {
    id,
    min: bound.min,
    max: bound.max,
    step: bound.step || "any",
    disabled,
    "aria-describedby": `${id}-hint`,
  };
  const changed = (text: string) => {
    if (text === "") onChange(undefined);
    else if (Number.isFinite(Number(text))) onChange(onStep(Number(text), bound));
  };
  return (
    <div className={own ? "dial own" : shown === null || shown === undefined ? "dial unset" : "dial"}>
      <label htmlFor={id}>{name}</label>
      <span className="dial-value num">
        <IconButton
          small
          label={t("toPreset", { name })}
          disabled={disabled || !own}
          onClick={() => onChange(undefined)}
        >
          <RotateCcw className="icon s" />
        </IconButton>
        {shown ?? t("asModel")}
      </span>
      {slides(bound) ? (
        <input
          {...input}
          type="range"
          value={shown ?? bound.min}
          style={{ "--at": shareOf(shown ?? bound.min, bound) } as CSSProperties}
          aria-valuetext={shown === null || shown === undefined ? t("asModel") : undefined}
          onChange={(event) => changed(event.target.value)}
        />
      ) : (
        <input
          {...input}
          type="number"
          className="input"
          value={value ?? ""}
          placeholder={preset?.toString()}
          onChange={(event) => changed(event.target.value)}
        />
      )}
      <p className="hint" id={`${id}-hint`}>
        {t(`${dial}Hint`)}
        {!bound.taken && !told && ` ${t("unknown")}`}
      </p>
    </div>
  );
}
