import { OTPInput, type SlotProps } from "input-otp";
import { type ComponentProps, useId } from "react";
import { VERIFY_CODE_CHARS } from "@/shared/limits";
import { cleanCode } from "../rules";

interface CodeInputProps extends Pick<ComponentProps<"input">, "autoFocus"> {
  value: string;
  onChange: (code: string) => void;
  label: string;
  error?: string | null;
}

function Box({ slot, invalid }: { slot: SlotProps; invalid: boolean }) {
  return (
    <span className={slot.isActive ? "input num on" : "input num"} data-invalid={invalid || undefined}>
      {slot.char}
    </span>
  );
}

/**
 * Six boxes, one field: what is typed or pasted goes into a single transparent input over them, so that
 * a screen reader meets one field, a phone offers the code from the mail, and a paste simply works.
 */
export function CodeInput({ value, onChange, label, error, autoFocus }: CodeInputProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {/* Finding this id, input-otp leaves out its style element, which our policy would refuse; the rules of it are in
          door.css. */}
      <span id="input-otp-style" hidden />
      <OTPInput
        id={id}
        maxLength={VERIFY_CODE_CHARS}
        value={value}
        onChange={(code) => onChange(cleanCode(code))}
        pasteTransformer={cleanCode}
        // A whole code takes the place of what was typed before it.
        onPaste={(event) => {
          const code = cleanCode(event.clipboardData.getData("text/plain"));
          if (code.length === VERIFY_CODE_CHARS) onChange(code);
        }}
        containerClassName="code"
        noScriptCSSFallback={null}
        pushPasswordManagerStrategy="none"
        autoFocus={autoFocus}
        inputMode="text"
        autoCapitalize="characters"
        autoCorrect="off"
        spellCheck={false}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        render={({ slots }) => (
          <div className="code-boxes" aria-hidden="true">
            {slots.map((slot, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a box is its place.
              <Box key={index} slot={slot} invalid={Boolean(error)} />
            ))}
          </div>
        )}
      />
      {error && (
        <p className="error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
