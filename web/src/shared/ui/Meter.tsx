interface MeterProps {
  label: string;
  value: number;
  max: number;
}

/** How much of something is used. */
export function Meter({ label, value, max }: MeterProps) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers draw <meter> their own way and cannot be told otherwise.
    <span
      className="meter"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
    >
      <i style={{ width: `${share * 100}%` }} />
    </span>
  );
}
