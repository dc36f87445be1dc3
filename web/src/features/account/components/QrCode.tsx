import { encode } from "uqr";
import { useMessages } from "../i18n";

/** Quiet zone around the code, in modules, as ISO/IEC 18004 asks. */
const QUIET = 4;

/** A text to be read by a camera. Dark on light in both themes: some readers know nothing else. */
export function QrCode({ text }: { text: string }) {
  const t = useMessages("twoStep");
  const { data, size } = encode(text, { ecc: "M", border: QUIET });
  const ink = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      width={196}
      height={196}
      role="img"
      aria-label={t("qr")}
      shapeRendering="crispEdges"
    >
      <path className="qr-paper" d={`M0 0h${size}v${size}h-${size}z`} />
      <path className="qr-ink" d={ink} />
    </svg>
  );
}
