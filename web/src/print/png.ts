/** A PNG that says how large it is to be printed. Browsers write none of that into theirs. */

/** After the signature (8 bytes) and the header (25 bytes). */
const AT = 33;

/** The PNG with a `pHYs` chunk for this many dots per inch. */
export async function withResolution(png: Blob, dpi: number): Promise<Blob> {
  const perMetre = Math.round(dpi / 0.0254);
  const chunk = new DataView(new ArrayBuffer(21));
  chunk.setUint32(0, 9);
  chunk.setUint32(4, 0x70485973);
  chunk.setUint32(8, perMetre);
  chunk.setUint32(12, perMetre);
  chunk.setUint8(16, 1);
  chunk.setUint32(17, checksum(new Uint8Array(chunk.buffer, 4, 13)));
  return new Blob([png.slice(0, AT), chunk.buffer, png.slice(AT)], { type: "image/png" });
}

/** CRC-32 of a few bytes, as PNG wants it. */
function checksum(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}
