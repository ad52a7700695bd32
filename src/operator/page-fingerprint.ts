/**
 * Identifies the content of a page: the fingerprint is in the page itself, and depends only on its content.
 */
import { createHash } from 'node:crypto';

export const fingerprintOf = (content: string): string =>
  createHash('sha256').update(content).digest('base64url');

/** The fingerprint of a page as `layout` made it; null: it has none. */
export const fingerprintOfPage = (page: string): string | null =>
  /<body[^>]* data-fingerprint="([\w-]+)"/.exec(page)?.[1] ?? null;
