import { ChevronDown } from "lucide-react";
import { choose, LANGUAGES, useMessages, useSpoken } from "@/shared/i18n";
import type { Language } from "@/shared/store";

/** The language of the app, by the names that readers know their own by. */
export function LanguageChoice() {
  const t = useMessages("frame");
  const language = useSpoken((state) => state.language);
  return (
    <label className="language">
      {t("language")}
      <span className="native-select">
        <select
          className="input"
          value={language}
          onChange={(event) => choose(event.target.value as Language)}
        >
          {Object.entries(LANGUAGES).map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
        <ChevronDown className="icon s" />
      </span>
    </label>
  );
}
