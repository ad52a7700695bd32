const PERCENT = 0x25;

/**
 * The bytes that percent-encoded text stands for. Parsers of forms and queries replace those that are no UTF-8, so
 * whether they are has to be checked before.
 */
export function percentDecoded(bytes: Buffer): Buffer {
  if (!bytes.includes(PERCENT)) return bytes;
  const text = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    const code = byte === PERCENT ? hexDigit(bytes[index + 1]) * 16 + hexDigit(bytes[index + 2]) : Number.NaN;
    text[length++] = Number.isNaN(code) ? byte : code;
    if (!Number.isNaN(code)) index += 2;
  }
  return text.subarray(0, length);
}

/** NaN for a byte that is none. */
function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return Number.NaN;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : Number.NaN;
}
