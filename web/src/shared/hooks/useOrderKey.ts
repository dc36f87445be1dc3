import { useState } from "react";
import { ApiError } from "../api/errors";
import { newKey } from "../key";

/** Answers that say nothing was done, for what was sent. After any other the first order may yet be carried out. */
const REFUSED = new Set([400, 402, 403, 413, 415, 422]);

/** One idempotency key for one order: pressed again while nobody knows what became of it, it is still the same order. */
class OrderKey {
  current = newKey();

  /** What is sent next is another order. */
  renew() {
    this.current = newKey();
  }

  /** Takes in what became of the last try. */
  answered(error: unknown) {
    if (error instanceof ApiError && REFUSED.has(error.status)) this.renew();
  }
}

export const useOrderKey = () => useState(() => new OrderKey())[0];
