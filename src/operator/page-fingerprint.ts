/** What tells a page from the same page at another time: it stands in the page itself, and is made of its content alone. */
import { createHash } from 'node:crypto';

export const fingerprintOf = (content: string): string =>
  createHash('sha256').update(content).digest('base64url');

/** That of a page as `layout` made it; null: it has none. */
export const fingerprintOfPage = (page: string): string | null =>
  /<body[^>]* data-fingerprint="([\w-]+)"/.exec(page)?.[1] ?? null;
