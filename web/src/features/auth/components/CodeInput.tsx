import { type ComponentProps, useId, useState } from "react";
import { VERIFY_CODE_CHARS } from "@/shared/limits";
import { cleanCode } from "../rules";

interface CodeInputProps extends Pick<ComponentProps<"input">, "autoFocus"> {
  value: string;
  onChange: (code: string) => void;
  label: string;
  error?: string | null;
}

const BOXES = Array.from({ length: VERIFY_CODE_CHARS }, (_, index) => index);

/**
 * Six boxes, one field: what is typed or pasted goes into a single transparent input over them, so that
 * a screen reader meets one field, a phone offers the code from the mail, and a paste simply works.
 */
export function CodeInput({ value, onChange, label, error, autoFocus }: CodeInputProps) {
  const id = useId();
  const [focused, setFocused] = useState(false);
  const at = Math.min(value.length, VERIFY_CODE_CHARS - 1);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="code">
        <input
          id={id}
          className="code-input"
          value={value}
          onChange={(event) => onChange(cleanCode(event.target.value))}
          onPaste={(event) => {
            event.preventDefault();
            onChange(cleanCode(event.clipboardData.getData("text")));
          }}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
          // The caret stays at the end: a box in the middle is changed by deleting back to it.
          onSelect={({ currentTarget: input }) => {
            if (input.selectionStart === input.selectionEnd)
              input.setSelectionRange(input.value.length, input.value.length);
          }}
          // biome-ignore lint/a11y/noAutofocus: the page has this one task.
          autoFocus={autoFocus}
          inputMode="text"
          autoComplete="one-time-code"
          autoCapitalize="characters"
          autoCorrect="off"
          spellCheck={false}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
        />
        <div className="code-boxes" aria-hidden="true">
          {BOXES.map((box) => (
            <span
              key={box}
              className={focused && box === at ? "input num on" : "input num"}
              data-invalid={error ? true : undefined}
            >
              {value[box] ?? ""}
            </span>
          ))}
        </div>
      </div>
      {error && (
        <p className="error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
