import { createHash } from 'node:crypto';

/** Pages that look the same have the same one. */
export const fingerprintOfPage = (page: string): string =>
  createHash('sha256').update(page).digest('base64url');
