import { browserKept } from "../storage";

/** Where the browser keeps the bearer token between visits. */
export const TOKEN_KEY = "jwt";

/** The stored token, expired or not; null when there is none. */
export const readToken = (): string | null => browserKept.getItem(TOKEN_KEY);

/** Keeps a token, as long as the page lives where the browser refuses storage. */
export function writeToken(token: string): void {
  browserKept.setItem(TOKEN_KEY, token);
}

export function clearToken(): void {
  browserKept.removeItem(TOKEN_KEY);
}

interface Claims {
  /** Seconds since the epoch. */
  exp?: number;
  iat?: number;
}

/** The claims inside a token. Read, never trusted: the server verifies. */
export function claimsOf(token: string): Claims | null {
  const payload = token.split(".")[1];
  if (!payload) return null;
  try {
    const bytes = atob(payload.replace(/-/g, "+").replace(/_/g, "/"));
    return JSON.parse(bytes) as Claims;
  } catch {
    return null;
  }
}

/** Whether a token is there and still good at `now` (milliseconds). */
export function hasLiveToken(now = Date.now()): boolean {
  const token = readToken();
  if (!token) return false;
  const exp = claimsOf(token)?.exp;
  return typeof exp === "number" && exp * 1000 > now;
}
