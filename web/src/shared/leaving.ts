/** Set while a sign-out is under way, so that a guarded page being left does not ask to log in again. */
export const leaving = { now: false };
