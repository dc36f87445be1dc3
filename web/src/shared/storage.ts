/** What a browser keeps of ours by key, in a way that never throws. */
export interface Kept {
  getItem: (key: string) => string | null;
  /** Whether it will still be there when this page has gone. */
  setItem: (key: string, value: string) => boolean;
  removeItem: (key: string) => void;
  keys: () => string[];
}

/**
 * A browser that blocks the data of sites throws at the very mention of its storage, and a full one when something is
 * put there. What it does not take lives in memory, as long as the page does.
 */
function kept(storage: () => Storage): Kept {
  const memory = new Map<string, string>();
  const attempt = <T>(what: (storage: Storage) => T, otherwise: T): T => {
    try {
      return what(storage());
    } catch {
      return otherwise;
    }
  };
  return {
    getItem: (key) => memory.get(key) ?? attempt((there) => there.getItem(key), null),
    setItem: (key, value) => {
      const taken = attempt((there) => {
        there.setItem(key, value);
        return true;
      }, false);
      if (taken) memory.delete(key);
      else memory.set(key, value);
      return taken;
    },
    removeItem: (key) => {
      memory.delete(key);
      attempt((there) => there.removeItem(key), undefined);
    },
    keys: () => [...new Set([...memory.keys(), ...attempt((there) => Object.keys(there), [])])],
  };
}

/** Kept between visits. */
export const browserKept = kept(() => localStorage);
/** Kept as long as the tab. */
export const tabKept = kept(() => sessionStorage);

/** The caches of the browser; null where there are none, as on a page that is not served securely, or where they are closed to us. */
export function openCaches(): CacheStorage | null {
  try {
    return globalThis.caches ?? null;
  } catch {
    return null;
  }
}
