import { describe, expect, it } from "vitest";
import { QUIET, qrOf } from "./qr";

/** The code as lines, `#` for dark; checked once by a reader. */
function drawn(text: string): string[] {
  const qr = qrOf(text);
  if (!qr) return [];
  const rows = Array.from({ length: qr.size }, () => new Array<string>(qr.size).fill("."));
  for (const [, x, y] of qr.path.matchAll(/M(\d+) (\d+)h/g)) {
    const row = rows[Number(y) - QUIET];
    if (row) row[Number(x) - QUIET] = "#";
  }
  return rows.map((row) => row.join(""));
}

describe("a QR code", () => {
  it("is drawn as a reader knows it", () => {
    expect(drawn("otpauth")).toEqual([
      "#######.##..#.#######",
      "#.....#...#.#.#.....#",
      "#.###.#..#.##.#.###.#",
      "#.###.#.####..#.###.#",
      "#.###.#.###.#.#.###.#",
      "#.....#.####..#.....#",
      "#######.#.#.#.#######",
      "........#..##........",
      "#...#.###..#.#####..#",
      ".#.#.#.##.###....##..",
      "####.#######..####.#.",
      "..##.#..###..####..##",
      ".#.####.....###.##...",
      "........#...###.#.##.",
      "#######.#.#.##..##.#.",
      "#.....#....##..##..##",
      "#.###.#.#..#..##....#",
      "#.###.#..####..##.###",
      "#.###.#..#.#..#.#....",
      "#.....#..##..##.#....",
      "#######.#.#.####.#..#",
    ]);
  });
  it.each([
    [14, 21],
    [15, 25],
    [106, 41],
    [122, 45],
    [213, 57],
  ])("of %i letters has %i modules a side", (letters, size) => {
    expect(qrOf("x".repeat(letters))?.size).toBe(size);
  });
  it("is not made of what does not fit", () => {
    expect(qrOf("x".repeat(214))).toBeNull();
  });
});
