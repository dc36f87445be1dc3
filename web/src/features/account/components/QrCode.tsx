import { QUIET, qrOf } from "../qr";

/** A text to be read by a camera. Dark on light in both themes: some readers know nothing else. */
export function QrCode({ text }: { text: string }) {
  const qr = qrOf(text);
  if (!qr) return null;
  const side = qr.size + 2 * QUIET;
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${side} ${side}`}
      width={196}
      height={196}
      role="img"
      aria-label="QR code of the key"
      shapeRendering="crispEdges"
    >
      <path className="qr-paper" d={`M0 0h${side}v${side}h-${side}z`} />
      <path className="qr-ink" d={qr.path} />
    </svg>
  );
}
