/** The form of RFC 9562, section 4, in upper or lower case. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Source of a pattern for ids within tokens and cursors, which are taken only as they were made: in lower case. */
export const ID_PATTERN = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The smallest UUIDv7 of a time (RFC 9562, section 5.7: the first 48 bits are milliseconds since 1970). */
export function firstIdAt(at: Date): string {
  const hex = Math.max(0, at.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The time at which a UUIDv7 was made, in milliseconds. */
export const msOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
