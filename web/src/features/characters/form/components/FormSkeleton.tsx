import { useMessages } from "../i18n";

const ROWS = [
  "name",
  "tags",
  "description",
  "personality",
  "outfit",
  "kinks",
  "first",
  "scenario",
  "example",
];
const TALL = new Set(["description", "personality", "first", "example"]);

/** The form's shape while its character is on the way. */
export function FormSkeleton() {
  const t = useMessages("page");
  return (
    <div className="character-form" role="status" aria-label={t("loading")}>
      <div className="form-bones">
        <span className="bone art" />
        {ROWS.map((row) => (
          <div className="form-bones" key={row}>
            <span className="bone word" />
            <span className={TALL.has(row) ? "bone tall" : "bone"} />
          </div>
        ))}
      </div>
    </div>
  );
}
