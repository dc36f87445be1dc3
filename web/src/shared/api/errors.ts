import { messages } from "../i18n";
import { AS_SAID, type Sentences } from "./refusals";

/** What went wrong with a call, in terms a page can act on. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    message: string,
    /** HTTP status; 0 when no answer came. */
    readonly status: number,
    /** Stable reason, snake_case; `network` when no answer came, `unknown` when the body gave none. */
    readonly code: string,
    /** Messages by field name, for forms. */
    readonly fields: Readonly<Record<string, string>> = {},
    /** Seconds until another try makes sense, where the server said so. */
    readonly retryAfter: number | null = null,
    /** Id of the request, by which the operator finds it; null when nobody gave it one. */
    readonly requestId: string | null = null,
  ) {
    super(message);
  }

  /** No answer came at all: offline, refused, cut off. */
  get isNetwork(): boolean {
    return this.status === 0;
  }
}

/** What a status means where the server says nothing itself. */
const FALLBACK: Readonly<Record<number, "tooLarge" | "tooMuch" | "busy">> = {
  413: "tooLarge",
  429: "tooMuch",
  503: "busy",
};

const asText = (value: unknown): string | undefined =>
  typeof value === "string" && value.length > 0 ? value : undefined;

/** These say what is wrong with a field, where one is named. */
const OF_A_FIELD: readonly string[] = ["invalid", "card_invalid"];

/** Reads the error body `{success:false, msg, message, code, fields?}`, also where it sits under `data`; told in the reader's language by `told`. */
export function errorFrom(
  status: number,
  body: unknown,
  retryAfter: string | null = null,
  requestId: string | null = null,
  told: Sentences = AS_SAID,
): ApiError {
  const outer = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const inner = (typeof outer.data === "object" && outer.data !== null ? outer.data : {}) as Record<
    string,
    unknown
  >;
  const said = asText(outer.msg) ?? asText(outer.message) ?? asText(inner.msg);
  const code = asText(outer.code) ?? "unknown";
  const fields: Record<string, string> = {};
  for (const [name, text] of Object.entries((outer.fields ?? {}) as Record<string, unknown>)) {
    if (typeof text === "string") fields[name] = told.fields[text] ?? text;
  }
  const ofField = OF_A_FIELD.includes(code) && Object.keys(fields).length > 0;
  const message =
    said === undefined
      ? messages("call")(FALLBACK[status] ?? "wrong")
      : ((ofField ? told.fields[said] : told.reasons[code]) ?? said);
  // Why an account was suspended, as its owner was told.
  const reason = asText(outer.reason);
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  return new ApiError(
    reason ? `${message} ${reason}` : message,
    status,
    code,
    fields,
    Number.isFinite(seconds) ? seconds : null,
    requestId,
  );
}

export function networkError(requestId: string | null = null): ApiError {
  return new ApiError(messages("call")("noAnswer"), 0, "network", {}, null, requestId);
}

/** The sentence to show for anything thrown: the server's where it gave one, else the page's own. */
export function messageOf(error: unknown, fallback: string): string {
  return error instanceof ApiError && error.code !== "unknown" && !error.isNetwork ? error.message : fallback;
}
