import { useEffect } from "react";
import { brand } from "@/brand";

/** Names the browser tab. Null leaves it to whoever knows better. */
export function useTitle(title: string | null | undefined): void {
  useEffect(() => {
    if (title) document.title = `${title} · ${brand.name}`;
  }, [title]);
}

export const HOME_TITLE = `${brand.name}: ${brand.tagline}`;
