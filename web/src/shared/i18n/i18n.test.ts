import { afterEach, describe, expect, it } from "vitest";
import { useRoot } from "../store";
import en from "./en.json";
import fr from "./fr.json";
import { choose, messages, preferred, speak, useSpoken } from "./index";
import nl from "./nl.json";

afterEach(() => speak("en"));

const keys = (part: object): string[] =>
  Object.entries(part)
    .flatMap(([key, value]) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? keys(value).map((inner) => `${key}.${inner}`)
        : [key],
    )
    .sort();

describe("messages", () => {
  it.each([
    ["French", fr],
    ["Dutch", nl],
  ])("in %s are all there", (_, other) => expect(keys(other)).toEqual(keys(en)));

  it("take plurals by the rules of their language", async () => {
    expect(messages("frame")("unread", { count: 1 })).toBe("Notifications, 1 unread");
    await speak("fr");
    expect(messages("frame")("unread", { count: 0 })).toBe("Notifications, 0 non lue");
    expect(messages("frame")("unread", { count: 3 })).toBe("Notifications, 3 non lues");
    expect(document.documentElement.lang).toBe("fr");
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
