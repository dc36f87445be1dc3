import { afterEach, describe, expect, it } from "vitest";
import { useRoot } from "../store";
import { choose, feature, messages, messagesArrived, preferred, speak, useSpoken } from "./index";

afterEach(() => speak("en"));

/** Every message file of the app, by its path. */
const files = import.meta.glob<Record<string, object>>("/src/**/i18n/*.json", {
  eager: true,
  import: "default",
});
const english = Object.keys(files).filter((path) => path.endsWith("/en.json"));
const inLanguage = (path: string, language: string) => files[path.replace("en.json", `${language}.json`)];
/** Those of the features that speak more than English. */
const translated = english.filter((path) => inLanguage(path, "fr") || inLanguage(path, "nl"));

const keys = (part: object): string[] =>
  Object.entries(part)
    .flatMap(([key, value]) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? keys(value).map((inner) => `${key}.${inner}`)
        : [key],
    )
    .sort();

describe("messages", () => {
  it.each(translated)("of %s are all there in French and Dutch", (path) => {
    const wanted = keys(files[path] ?? {});
    expect(wanted).not.toHaveLength(0);
    for (const language of ["fr", "nl"]) expect(keys(inLanguage(path, language) ?? {})).toEqual(wanted);
  });

  it("hold no apostrophe that would hide a value or a link after it", () => {
    const raw = import.meta.glob<string>("/src/**/i18n/*.json", {
      eager: true,
      query: "?raw",
      import: "default",
    });
    const hiding = Object.entries(raw).filter(([, text]) => /'[{<]/.test(text));
    expect(Object.keys(raw)).toHaveLength(Object.keys(files).length);
    expect(hiding.map(([path]) => path)).toEqual([]);
  });

  it("keep the typography of French: curved apostrophes, and no line that begins with a sign", () => {
    const raw = import.meta.glob<string>(["/src/**/i18n/fr.json", "/src/**/refusals/fr.json"], {
      eager: true,
      query: "?raw",
      import: "default",
    });
    const amiss = Object.values(raw).flatMap(
      (text) =>
        text.replaceAll(/^\s*".*?": /gm, "").match(/.*([a-zà-ÿ]'[a-zà-ÿ]| [:;!?»]|« |[a-zà-ÿ][:;!?»]).*/gi) ??
        [],
    );
    expect(Object.keys(raw).length).toBeGreaterThan(5);
    expect(amiss).toEqual([]);
  });

  it("of a feature come in the language spoken when its code comes, and turn with it", async () => {
    const words = feature({
      en: { greeting: { hello: "Hello" } },
      fr: async () => ({ default: { greeting: { hello: "Bonjour" } } }),
      nl: () => Promise.reject(new Error("offline")),
    });
    expect(words.messages("greeting")("hello")).toBe("Hello");
    await speak("fr");
    expect(words.messages("greeting")("hello")).toBe("Bonjour");
    const late = feature({
      en: { greeting: { hello: "Hello" } },
      fr: async () => ({ default: { greeting: { hello: "Salut" } } }),
      nl: async () => ({ default: { greeting: { hello: "Hallo" } } }),
    });
    await messagesArrived();
    expect(late.messages("greeting")("hello")).toBe("Salut");
    await speak("nl");
    expect(late.messages("greeting")("hello")).toBe("Hallo");
    expect(words.messages("greeting")("hello")).toBe("Bonjour");
  });

  it("of a feature in English alone stay English, whatever the rest speaks", async () => {
    const words = feature({ en: { greeting: { hello: "Hello" } } });
    await speak("fr");
    expect(words.messages("greeting")("hello")).toBe("Hello");
    const late = feature({ en: { greeting: { hello: "Good evening" } } });
    await messagesArrived();
    expect(late.messages("greeting")("hello")).toBe("Good evening");
    await speak("nl");
    expect(late.messages("greeting")("hello")).toBe("Good evening");
  });

  it("take plurals by the rules of their language", async () => {
    expect(messages("frame")("unread", { count: 1 })).toBe("Notifications, 1 unread");
    await speak("fr");
    expect(messages("frame")("unread", { count: 0 })).toBe("Notifications, 0 non lue");
    expect(messages("frame")("unread", { count: 3 })).toBe("Notifications, 3 non lues");
    expect(document.documentElement.lang).toBe("fr");
  });

  it("write numbers as their language does", async () => {
    const unread = (count: number) => messages("frame")("unread", { count }).match(/\d.*\d/)?.[0];
    expect([999, 1234, 12.5].map(unread)).toEqual(["999", "1,234", "12.5"]);
    await speak("nl");
    expect([999, 1234, 12.5].map(unread)).toEqual(["999", "1.234", "12,5"]);
  });

  it("come in the language of the browser until the reader chooses another", async () => {
    expect(preferred(["nl-BE", "en"])).toBe("nl");
    expect(preferred(["de-DE", "fr-FR"])).toBe("fr");
    expect(preferred(["de"])).toBe("en");
    choose("nl");
    await expect.poll(() => useSpoken.getState().language).toBe("nl");
    expect(preferred(["fr"])).toBe("nl");
    expect(useRoot.getState().language).toBe("nl");
  });
});
