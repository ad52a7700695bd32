/**
 * Signs texts with the newest key and accepts signatures of all, so that keys can be replaced one after the
 * other. Each purpose has keys of its own, so that a signature proves nothing elsewhere.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export type Signer = ReturnType<typeof createSigner>;

export function createSigner(secretsKeys: Readonly<Record<number, Buffer>>, purpose: string) {
  const newestFirst = Object.keys(secretsKeys)
    .map(Number)
    .sort((a, b) => b - a)
    .map((id) => Buffer.from(hkdfSync('sha256', secretsKeys[id] as Buffer, '', purpose, 32)));
  const proofOf = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('base64url');
  return {
    /** 43 characters in base64url. */
    sign: (text: string): string => proofOf(newestFirst[0] as Buffer, text),
    /** Compares the texts, because several texts stand for the same bytes. */
    isSigned(text: string, proof: string): boolean {
      const given = Buffer.from(proof);
      return newestFirst.some((key) => isSame(given, Buffer.from(proofOf(key, text))));
    },
  };
}

const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);
