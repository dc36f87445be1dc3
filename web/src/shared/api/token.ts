/** Where the browser keeps the bearer token between visits. */
export const TOKEN_KEY = "jwt";

/** The stored token, expired or not; null when there is none or storage is closed to us. */
export function readToken(): string | null {
  try {
    return localStorage.getItem(TOKEN_KEY);
  } catch {
    return null;
  }
}

export function writeToken(token: string): void {
  try {
    localStorage.setItem(TOKEN_KEY, token);
  } catch {
    // In a browser that refuses storage nobody is logged in: every call and every guard reads the token from there.
  }
}

export function clearToken(): void {
  try {
    localStorage.removeItem(TOKEN_KEY);
  } catch {
    // Nothing was stored.
  }
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
