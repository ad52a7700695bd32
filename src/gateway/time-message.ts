/** What a device that asks `t` gets: unix seconds, 4 bytes, big-endian (NB-IoT-sensors-integration, class Time). */
export function encodeTime(now: Date): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Math.floor(now.getTime() / 1000) >>> 0);
  return bytes;
}

/** The device's side of it. */
export const decodeTime = (bytes: Uint8Array): Date => new Date(Buffer.from(bytes).readUInt32BE() * 1000);
