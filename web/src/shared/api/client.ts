import { newKey } from "../key";
import { errorFrom, networkError } from "./errors";
import { sentences } from "./refusals";
import { readToken } from "./token";

/** All calls go under this path of our own origin. */
export const API_BASE = "/api";

/** Under this name a request carries its id, and an answer the id it was logged by. */
const REQUEST_ID = "x-request-id";

export type QueryValue = string | number | boolean | readonly string[] | undefined | null;

export interface CallOptions {
  query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as multipart; excludes `json`. */
  form?: FormData;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** Goes on when the page is left. */
  keepalive?: boolean;
}

/** Told of every 401 that answers a call which carried a token. The app sends the reader to `/login`. */
type UnauthorizedListener = (sentToken: string) => void;
const listeners = new Set<UnauthorizedListener>();

/** By which id an answer was asked for, where it says none itself. */
const askedAs = new WeakMap<Response, string>();
let latest: string | null = null;
/** Id of the last request that was sent: what a page that broke was most likely built from. */
export const latestRequestId = () => latest;

export function onUnauthorized(listener: UnauthorizedListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function buildUrl(path: string, query: CallOptions["query"] = {}): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue;
    const text = Array.isArray(value) ? value.join(",") : String(value);
    if (text !== "") params.set(key, text);
  }
  const search = params.toString();
  return `${API_BASE}/${path.replace(/^\//, "")}${search ? `?${search}` : ""}`;
}

/**
 * The request itself: bearer added, a lost connection turned into an `ApiError`, an abort left as it is.
 * Streams use this; everything else uses `api`.
 */
export async function send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const token = readToken();
  const id = newKey();
  latest = id;
  const headers = new Headers({ accept: "application/json", [REQUEST_ID]: id, ...options.headers });
  if (token) headers.set("authorization", `Bearer ${token}`);
  let body: BodyInit | undefined;
  if (options.form) body = options.form;
  else if (options.json !== undefined) {
    headers.set("content-type", "application/json");
    body = JSON.stringify(options.json);
  }
  let response: Response;
  try {
    response = await globalThis.fetch(buildUrl(path, options.query), {
      method,
      headers,
      body,
      signal: options.signal,
      keepalive: options.keepalive,
    });
  } catch (error) {
    if (options.signal?.aborted || (error instanceof DOMException && error.name === "AbortError"))
      throw error;
    throw networkError(id);
  }
  latest = response.headers.get(REQUEST_ID) ?? id;
  askedAs.set(response, latest);
  if (response.status === 401 && token) for (const listener of listeners) listener(token);
  return response;
}

/** Turns a response that is not a success into the `ApiError` it means. */
export async function failure(response: Response) {
  const body: unknown = await response.json().catch(() => null);
  return errorFrom(
    response.status,
    body,
    response.headers.get("retry-after"),
    askedAs.get(response) ?? response.headers.get(REQUEST_ID),
    await sentences(),
  );
}

async function call<T>(method: string, path: string, options?: CallOptions): Promise<T> {
  const response = await send(method, path, options);
  if (!response.ok) throw await failure(response);
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (options?.signal?.aborted) throw error;
    throw networkError();
  }
}

/** Calls under `/api`. A status of 400 or more, and no answer at all, throw `ApiError`. */
export const api = {
  get: <T>(path: string, options?: CallOptions) => call<T>("GET", path, options),
  post: <T>(path: string, options?: CallOptions) => call<T>("POST", path, options),
  put: <T>(path: string, options?: CallOptions) => call<T>("PUT", path, options),
  delete: <T>(path: string, options?: CallOptions) => call<T>("DELETE", path, options),
};
