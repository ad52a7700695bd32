/**
 * API keys as text: a prefix that names the kind, random base62 characters, and a checksum that distinguishes
 * a mistyped key from an unknown one without the database.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ROLES, type Role } from '../http/role.ts';
import type { KeyKind } from '../http/route.ts';
import { invalid } from '../process/errors.ts';
import type { KeyRecord } from './keys.repository.ts';

interface KeyFormat {
  prefix: string;
  randomCharacters: number;
}

/** A device key has 36 characters in total, the most that a logger can hold. */
const KEY_FORMATS: Record<KeyKind, KeyFormat> = {
  customer: { prefix: 'dms_live_', randomCharacters: 43 },
  device: { prefix: 'dev_', randomCharacters: 26 },
};

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_CHARACTERS = 6;
const PREVIEW_CHARACTERS = 4;

export const RANDOM_BYTES = 32;

export function formatKey(kind: KeyKind, random: Buffer): string {
  const { prefix, randomCharacters } = KEY_FORMATS[kind];
  const body = prefix + base62(BigInt(`0x${random.toString('hex')}`), randomCharacters);
  return body + checksum(body);
}

/** The kind of a well-formed key, else null. */
export function parseKeyKind(token: string): KeyKind | null {
  for (const kind of ['customer', 'device'] as const) {
    const { prefix, randomCharacters } = KEY_FORMATS[kind];
    const bodyLength = prefix.length + randomCharacters;
    if (token.length !== bodyLength + CHECKSUM_CHARACTERS || !token.startsWith(prefix)) continue;
    if (checksum(token.slice(0, bodyLength)) === token.slice(bodyLength)) return kind;
  }
  return null;
}

/** Whether the text has the form of a key, mistyped or not; such a text is never stored as a name. */
export function looksLikeKey(text: string): boolean {
  return Object.values(KEY_FORMATS).some(
    ({ prefix, randomCharacters }) =>
      text.startsWith(prefix) && text.length === prefix.length + randomCharacters + CHECKSUM_CHARACTERS,
  );
}

/** Stored instead of the key, which has at least 154 random bits: one round of SHA-256 is enough. */
export const hashKey = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Whether an issued key works, until it is revoked or expires. */
export function isActive(
  { revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null },
  nowMs: number,
): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt.getTime() > nowMs);
}

/** The first characters of a key, by which people recognise it. */
export function toTokenPreview(kind: KeyKind, token: string): string {
  return `${token.slice(0, KEY_FORMATS[kind].prefix.length + PREVIEW_CHARACTERS)}…`;
}

/** A key without a name is called by its first characters. */
export const toKeyName = ({ name, tokenPreview }: { name: string | null; tokenPreview: string }): string =>
  name ?? tokenPreview;

export const NO_SUCH_KEY = 'No API key has this id';
export const NEEDS_OWN_TOKENS =
  'Each device of this organization needs a token of its own: a token for all devices would be refused';

export function checkRole(kind: KeyKind, role: Role | null): void {
  if (kind === 'customer' && role === null)
    throw invalid(`role must be ${ROLES.join(', ')} for a customer key`);
  if (kind === 'device' && role !== null) throw invalid('role must be null for a device key: it has none');
}

export type KeyView = ReturnType<typeof keyView>;

export function keyView(key: KeyRecord) {
  const { id, kind, role, tokenPreview, createdAt, expiresAt, lastUsedAt } = key;
  return {
    id,
    recType: 'key',
    name: toKeyName(key),
    kind,
    role,
    preview: tokenPreview,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}

const checksum = (body: string) => base62(BigInt(crc32(body)), CHECKSUM_CHARACTERS);

function base62(value: bigint, characters: number): string {
  let rest = value;
  let text = '';
  for (let index = 0; index < characters; index++) {
    text = BASE62[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return text;
}
