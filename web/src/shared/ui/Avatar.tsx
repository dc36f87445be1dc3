import { faceStyle } from "../gel";
import { sized } from "../media";

interface AvatarProps {
  name: string;
  src?: string | null;
  size?: "small" | "large" | "huge";
}

const CLASS = { small: "s", large: "l", huge: "xl" } as const;
/** Sides as the styles draw them, px. */
const SIDE = { small: 28, large: 64, huge: 112 } as const;

/** A face, or the name's initial in the light of that name. Decorative: the name always stands beside it. */
export function Avatar({ name, src, size }: AvatarProps) {
  const side = size ? SIDE[size] : 40;
  return (
    <span
      className={size ? `face ${CLASS[size]}` : "face"}
      style={src ? undefined : faceStyle(name)}
      aria-hidden="true"
    >
      {Array.from(name)[0]?.toUpperCase()}
      {src && (
        <img
          src={sized(src, size === "huge" ? "card" : "thumb")}
          alt=""
          width={side}
          height={side}
          loading="lazy"
          decoding="async"
        />
      )}
    </span>
  );
}
