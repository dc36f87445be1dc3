import { ChevronDown, Eye, EyeOff, TriangleAlert } from "lucide-react";
import { type ComponentProps, type ReactNode, useId, useState } from "react";
import { useMessages } from "../i18n";

interface FieldControl {
  id: string;
  "aria-invalid": true | undefined;
  "aria-describedby": string | undefined;
}

interface FieldProps {
  label: ReactNode;
  /** Keeps the label for assistive technology only. */
  hideLabel?: boolean;
  hint?: ReactNode;
  /** Replaces the hint. */
  error?: string;
  /** Stands across from the label: a count. */
  aside?: ReactNode;
  className?: string;
  children: (control: FieldControl) => ReactNode;
}

/** Label above, hint below; an error takes the hint's place. The child spreads what it is given onto its input. */
export function Field({ label, hideLabel, hint, error, aside, className, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  return (
    <div className={["field", className].filter(Boolean).join(" ")}>
      <label htmlFor={id} className={hideLabel ? "sr" : undefined}>
        {label}
      </label>
      {aside && <span className="field-aside">{aside}</span>}
      {children({
        id,
        "aria-invalid": error ? true : undefined,
        "aria-describedby": error || hint ? noteId : undefined,
      })}
      {error ? (
        <p className="error" id={noteId} role="alert">
          <TriangleAlert className="icon s" />
          {error}
        </p>
      ) : (
        hint && (
          <p className="hint" id={noteId}>
            {hint}
          </p>
        )
      )}
    </div>
  );
}

type FieldText = Pick<FieldProps, "label" | "hideLabel" | "hint" | "error">;

/** A one-line field. Takes a `ref` and all of an input's properties, so `{...register("email")}` fits. */
export function TextField({
  label,
  hideLabel,
  hint,
  error,
  aside,
  className,
  ...input
}: FieldText & Pick<FieldProps, "aside"> & ComponentProps<"input">) {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error} aside={aside}>
      {(control) => (
        <input {...input} {...control} className={["input", className].filter(Boolean).join(" ")} />
      )}
    </Field>
  );
}

export function TextArea({
  label,
  hideLabel,
  hint,
  error,
  aside,
  className,
  ...input
}: FieldText & Pick<FieldProps, "aside"> & ComponentProps<"textarea">) {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error} aside={aside}>
      {(control) => (
        <textarea {...input} {...control} className={["input", className].filter(Boolean).join(" ")} />
      )}
    </Field>
  );
}

/** A password, with a button that shows it. */
export function PasswordField({
  label,
  hideLabel,
  hint,
  error,
  ...input
}: FieldText & ComponentProps<"input">) {
  const t = useMessages("ui");
  const [shown, setShown] = useState(false);
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error}>
      {(control) => (
        <div className="with-icon with-end">
          <input {...input} {...control} type={shown ? "text" : "password"} className="input" />
          <button
            type="button"
            className="icon-btn"
            aria-label={t(shown ? "hidePassword" : "showPassword")}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
          >
            {shown ? <EyeOff className="icon s" /> : <Eye className="icon s" />}
          </button>
        </div>
      )}
    </Field>
  );
}

interface SelectOption {
  value: string;
  label: string;
  /** A heading that it stands under, with its neighbours of the same one. */
  group?: string;
}

interface OptionFieldProps extends Omit<ComponentProps<"select">, "children"> {
  options: readonly SelectOption[];
  /** First, unchosen entry. */
  placeholder?: string;
}

const optionOf = ({ value, label }: SelectOption) => (
  <option key={value} value={value}>
    {label}
  </option>
);

/** The platform's own list of choices: short, accessible, right on phones. */
export function SelectField({
  label,
  hideLabel,
  hint,
  error,
  options,
  placeholder,
  ...select
}: FieldText & OptionFieldProps) {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error}>
      {(control) => (
        <div className="native-select">
          <select {...select} {...control} className="input">
            {placeholder !== undefined && <option value="">{placeholder}</option>}
            {options.filter((option) => option.group === undefined).map(optionOf)}
            {[...new Set(options.map((option) => option.group))]
              .filter((group) => group !== undefined)
              .map((group) => (
                <optgroup key={group} label={group}>
                  {options.filter((option) => option.group === group).map(optionOf)}
                </optgroup>
              ))}
          </select>
          <ChevronDown className="icon s" />
        </div>
      )}
    </Field>
  );
}
