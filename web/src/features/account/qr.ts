/**
 * QR codes (ISO/IEC 18004) of short texts: byte mode, error correction M, versions 1 to 10, up to 213 bytes. Enough
 * for the address of an authenticator app, and small enough to need no library for one picture.
 */

/** Error correction codewords of a block and number of blocks at level M, by version from 1. */
const ECC_PER_BLOCK = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5];
/** Level M in the format bits. */
const LEVEL_BITS = 0;
/** Quiet zone around the code, modules. */
export const QUIET = 4;

/** Modules that hold data or error correction. */
function rawModules(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const aligned = Math.floor(version / 7) + 2;
    modules -= (25 * aligned - 10) * aligned - 55;
  }
  return version >= 7 ? modules - 36 : modules;
}

const at = (list: ArrayLike<number>, index: number) => list[index] ?? 0;
const rawBytes = (version: number) => Math.floor(rawModules(version) / 8);
const dataBytes = (version: number) =>
  rawBytes(version) - at(ECC_PER_BLOCK, version - 1) * at(BLOCKS, version - 1);
/** Bits of the length in byte mode. */
const lengthBits = (version: number) => (version < 10 ? 8 : 16);

/** Product in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1. */
function multiply(x: number, y: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((y >>> bit) & 1) * x;
  }
  return product;
}

/** Coefficients of the generator polynomial of this degree, without the leading one. */
function generator(degree: number): number[] {
  const factors = new Array<number>(degree).fill(0);
  factors[degree - 1] = 1;
  let root = 1;
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) factors[j] = multiply(at(factors, j), root) ^ at(factors, j + 1);
    root = multiply(root, 2);
  }
  return factors;
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  const rest = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0);
    rest.push(0);
    divisor.forEach((coefficient, i) => {
      rest[i] = at(rest, i) ^ multiply(coefficient, factor);
    });
  }
  return rest;
}

/** The text as data codewords: mode, length, bytes, end, padding. */
function encode(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let i = length - 1; i >= 0; i--) bits.push((value >>> i) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  const capacity = dataBytes(version) * 8;
  push(0, Math.min(4, capacity - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < capacity; pad ^= 0xec ^ 0x11) push(pad, 8);
  return Array.from({ length: capacity / 8 }, (_, i) =>
    bits.slice(i * 8, i * 8 + 8).reduce((byte, bit) => (byte << 1) | bit, 0),
  );
}

/** Data in blocks, each with its error correction, interleaved. */
function interleave(data: readonly number[], version: number): number[] {
  const count = at(BLOCKS, version - 1);
  const ecc = at(ECC_PER_BLOCK, version - 1);
  const divisor = generator(ecc);
  const short = Math.floor(data.length / count);
  const shortBlocks = count - (data.length % count);
  const blocks: number[][] = [];
  const checks: number[][] = [];
  for (let i = 0, start = 0; i < count; i++) {
    const length = short + (i < shortBlocks ? 0 : 1);
    const block = data.slice(start, start + length);
    blocks.push(block);
    checks.push(remainder(block, divisor));
    start += length;
  }
  const columns = (rows: readonly number[][], length: number) =>
    Array.from({ length }, (_, i) => rows.flatMap((row) => row.slice(i, i + 1))).flat();
  return [...columns(blocks, short + 1), ...columns(checks, ecc)];
}

const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** A code under way: what is dark, and what belongs to the patterns and is not masked. */
class Grid {
  readonly size: number;
  private readonly dark: boolean[];
  private readonly fixed: boolean[];

  constructor(private readonly version: number) {
    this.size = version * 4 + 17;
    this.dark = new Array<boolean>(this.size ** 2).fill(false);
    this.fixed = new Array<boolean>(this.size ** 2).fill(false);
    this.patterns();
  }

  isDark(x: number, y: number): boolean {
    return this.dark[y * this.size + x] ?? false;
  }

  private fix(x: number, y: number, dark: boolean): void {
    if (x < 0 || y < 0 || x >= this.size || y >= this.size) return;
    this.dark[y * this.size + x] = dark;
    this.fixed[y * this.size + x] = true;
  }

  private patterns(): void {
    const { size } = this;
    for (let i = 0; i < size; i++) {
      this.fix(6, i, i % 2 === 0);
      this.fix(i, 6, i % 2 === 0);
    }
    const corners = [
      [3, 3],
      [size - 4, 3],
      [3, size - 4],
    ] as const;
    for (const [x, y] of corners) this.rings(x, y, 4, (ring) => ring !== 2 && ring !== 4);
    const centres = this.alignment();
    const last = centres.length - 1;
    centres.forEach((x, i) => {
      centres.forEach((y, j) => {
        const onFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
        if (!onFinder) this.rings(x, y, 2, (ring) => ring !== 1);
      });
    });
    this.format(0);
    if (this.version >= 7) this.versionBits();
  }

  private rings(x: number, y: number, radius: number, dark: (ring: number) => boolean): void {
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dx = -radius; dx <= radius; dx++) {
        this.fix(x + dx, y + dy, dark(Math.max(Math.abs(dx), Math.abs(dy))));
      }
    }
  }

  private alignment(): number[] {
    if (this.version === 1) return [];
    const count = Math.floor(this.version / 7) + 2;
    const step = Math.ceil((this.version * 4 + 4) / (count * 2 - 2)) * 2;
    const rest = Array.from({ length: count - 1 }, (_, i) => this.size - 7 - i * step).reverse();
    return [6, ...rest];
  }

  private versionBits(): void {
    let rest = this.version;
    for (let i = 0; i < 12; i++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
    const bits = (this.version << 12) | rest;
    for (let i = 0; i < 18; i++) {
      const [a, b] = [this.size - 11 + (i % 3), Math.floor(i / 3)];
      this.fix(a, b, ((bits >>> i) & 1) === 1);
      this.fix(b, a, ((bits >>> i) & 1) === 1);
    }
  }

  /** Level and mask, twice. */
  format(mask: number): void {
    const data = (LEVEL_BITS << 3) | mask;
    let rest = data;
    for (let i = 0; i < 10; i++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
    const bits = ((data << 10) | rest) ^ 0x5412;
    const bit = (i: number) => ((bits >>> i) & 1) === 1;
    for (let i = 0; i <= 5; i++) this.fix(8, i, bit(i));
    this.fix(8, 7, bit(6));
    this.fix(8, 8, bit(7));
    this.fix(7, 8, bit(8));
    for (let i = 9; i < 15; i++) this.fix(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i++) this.fix(this.size - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i++) this.fix(8, this.size - 15 + i, bit(i));
    this.fix(8, this.size - 8, true);
  }

  /** The codewords in columns of two, upwards and downwards from the right. */
  fill(words: readonly number[]): void {
    let next = 0;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let i = 0; i < this.size; i++) {
        const y = ((right + 1) & 2) === 0 ? this.size - 1 - i : i;
        for (const x of [right, right - 1]) {
          if (this.fixed[y * this.size + x] || next >= words.length * 8) continue;
          this.dark[y * this.size + x] = ((at(words, next >>> 3) >>> (7 - (next & 7))) & 1) === 1;
          next++;
        }
      }
    }
  }

  /** Turns over what the mask meets; twice is as before. */
  mask(mask: number): void {
    for (let y = 0; y < this.size; y++) {
      for (let x = 0; x < this.size; x++) {
        const i = y * this.size + x;
        if (!this.fixed[i] && MASKS[mask]?.(x, y)) this.dark[i] = !this.dark[i];
      }
    }
  }

  /** How hard it is to read: runs, squares, what looks like a finder, imbalance. */
  penalty(): number {
    const { size } = this;
    const lines = Array.from({ length: size }, (_, i) => i).flatMap((i) => [
      Array.from({ length: size }, (_, j) => (this.isDark(j, i) ? "1" : "0")).join(""),
      Array.from({ length: size }, (_, j) => (this.isDark(i, j) ? "1" : "0")).join(""),
    ]);
    let sum = 0;
    for (const line of lines) {
      for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
      sum += 40 * [...line.matchAll(/(?=10111010000|00001011101)/g)].length;
    }
    let darks = 0;
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) {
        const here = this.isDark(x, y);
        if (here) darks++;
        if (x + 1 === size || y + 1 === size) continue;
        const same = [this.isDark(x + 1, y), this.isDark(x, y + 1), this.isDark(x + 1, y + 1)];
        if (same.every((other) => other === here)) sum += 3;
      }
    }
    return sum + 10 * Math.floor(Math.abs((darks * 20) / size ** 2 - 10));
  }
}

export interface Qr {
  /** Modules of a side, without the quiet zone. */
  size: number;
  /** Path of an SVG whose unit is a module, the quiet zone around it. */
  path: string;
}

/** Null for a text that is too long. */
export function qrOf(text: string): Qr | null {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex(
    (_, i) => bytes.length * 8 + 4 + lengthBits(i + 1) <= dataBytes(i + 1) * 8,
  );
  if (version < 0) return null;
  const grid = new Grid(version + 1);
  grid.fill(interleave(encode(bytes, version + 1), version + 1));
  const tries = MASKS.map((_, mask) => {
    grid.mask(mask);
    grid.format(mask);
    const penalty = grid.penalty();
    grid.mask(mask);
    return { mask, penalty };
  });
  const best = tries.reduce((a, b) => (b.penalty < a.penalty ? b : a)).mask;
  grid.mask(best);
  grid.format(best);
  let path = "";
  for (let y = 0; y < grid.size; y++) {
    for (let x = 0; x < grid.size; x++) {
      if (grid.isDark(x, y)) path += `M${x + QUIET} ${y + QUIET}h1v1h-1z`;
    }
  }
  return { size: grid.size, path };
}
