/** A new idempotency key: random, 128 bits. Works where `crypto.randomUUID` does not, as on plain http in a home. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
