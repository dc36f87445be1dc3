interface AvatarProps {
  name: string;
  src?: string | null;
  size?: "small" | "large" | "huge";
}

/** A face, or the name's initial on plum. Decorative: the name always stands beside it. */
export function Avatar({ name, src, size }: AvatarProps) {
  const sizeClass = { small: "s", large: "l", huge: "xl" } as const;
  return (
    <span className={size ? `face ${sizeClass[size]}` : "face"} aria-hidden="true">
      {Array.from(name)[0]?.toUpperCase()}
      {src && <img src={src} alt="" loading="lazy" decoding="async" />}
    </span>
  );
}
