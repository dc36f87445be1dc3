import { describe, expect, it } from "vitest";
import { nameFrom } from "./download";

describe("the name of a file", () => {
  it("is the server's, in the newer spelling first", () => {
    expect(nameFrom('attachment; filename="vesper.png"')).toBe("vesper.png");
    expect(nameFrom("attachment; filename=vesper.json")).toBe("vesper.json");
    expect(nameFrom("attachment; filename=\"ve.png\"; filename*=UTF-8''v%C3%A9sper.png")).toBe("vésper.png");
  });

  it("is nobody's where the server is silent", () => {
    expect(nameFrom(null)).toBeNull();
    expect(nameFrom("attachment")).toBeNull();
  });
});
