import { brand } from "@/brand";

/** Pelmet and beam: together a T. */
export function Logo() {
  return (
    <>
      <svg viewBox="0 0 28 32" aria-hidden="true">
        <path d="M11.2 9h5.6L23 28.6H5z" fill="currentColor" />
        <ellipse cx="14" cy="28.6" rx="12" ry="2.6" fill="currentColor" />
        <path d="M1 1.5h26V9c-.4 4-7.9 4-8.7 0-.4 4-8.2 4-8.6 0-.4 4-8.3 4-8.7 0z" fill="var(--braid)" />
      </svg>
      <span>{brand.name}</span>
    </>
  );
}
