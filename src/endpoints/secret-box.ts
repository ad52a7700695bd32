/**
 * Encrypts secrets at rest with AES-256-GCM. The sealed bytes begin with the id of their key, so keys can be
 * rotated one after the other. They are bound to their row, and do not open in another one.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** The row that a secret belongs to. */
export interface SecretOwner {
  organizationId: string;
  rowId: string;
}

export type SecretBox = ReturnType<typeof createSecretBox>;

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const KEY_ID_MAX = 0xffff_ffff;
const NONCE_AT = 4;
const TEXT_AT = 16;
const TAG_BYTES = 16;

/** `keys` by id: the one with the highest id seals, all of them open. */
export function createSecretBox(keys: Readonly<Record<number, Buffer>>) {
  const current = checkedCurrent(keys);
  const box = {
    /** Key id (4 bytes, big-endian), nonce (12), ciphertext, tag (16). */
    seal(secret: string, owner: SecretOwner): Buffer {
      const head = Buffer.alloc(NONCE_AT);
      head.writeUInt32BE(current);
      const nonce = randomBytes(TEXT_AT - NONCE_AT);
      const cipher = createCipheriv(ALGORITHM, keys[current] as Buffer, nonce).setAAD(boundTo(owner));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([head, nonce, text, cipher.getAuthTag()]);
    },

    /** @throws when the bytes were changed, belong to another row, or their key is not configured. */
    open(sealed: Buffer, owner: SecretOwner): string {
      if (sealed.length < TEXT_AT + TAG_BYTES) throw new Error('The bytes are too short for a sealed secret');
      const keyId = sealed.readUInt32BE();
      const key = keys[keyId];
      if (!key) throw new Error(`The secrets key ${keyId} is not among those configured`);
      const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(NONCE_AT, TEXT_AT), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(boundTo(owner)).setAuthTag(sealed.subarray(-TAG_BYTES));
      const text = decipher.update(sealed.subarray(TEXT_AT, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    },

    /** False, too, when the bytes cannot be opened any more: then the secret is replaced like any other. */
    contains(sealed: Buffer | null, secret: string, owner: SecretOwner): boolean {
      try {
        return sealed !== null && box.open(sealed, owner) === secret;
      } catch {
        return false;
      }
    },
  };
  return box;
}

const boundTo = ({ organizationId, rowId }: SecretOwner) => Buffer.from(`${organizationId}:${rowId}`);

function checkedCurrent(keys: Readonly<Record<number, Buffer>>): number {
  const ids = Object.keys(keys).map(Number);
  if (ids.length === 0) throw new Error('There must be at least one secrets key');
  for (const id of ids) {
    if (id > KEY_ID_MAX) throw new Error(`The id of a secrets key must be at most ${KEY_ID_MAX}`);
    if (keys[id]?.length !== KEY_BYTES)
      throw new Error(`The secrets key ${id} must be ${KEY_BYTES} bytes long`);
  }
  return Math.max(...ids);
}
