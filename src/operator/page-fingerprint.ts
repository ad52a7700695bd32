/**
 * Identifies the content of a page: the fingerprint is in the page itself, and depends only on its content.
 */
import { createHash } from 'node:crypto';

export const fingerprintOf = (content: string): string =>
  createHash('sha256').update(content).digest('base64url');

export const STEP_MS = 5 * 60_000;

/** Rounds down, so that an unchanged page looks the same again. */
export const roundedDown = (at: Date): Date => new Date(Math.floor(at.getTime() / STEP_MS) * STEP_MS);

/** The content of a page without the frame, which names the person it was drawn for. */
export interface PageContent {
  fingerprint: string;
  html: string;
}

/** Null: `layout` made the page without a fingerprint. */
export function contentOfPage(page: string): PageContent | null {
  const found = /<body[^>]* data-fingerprint="([\w-]+)".*?<main id="main">\n(.*)\n<\/main>/s.exec(page);
  const [, fingerprint, html] = found ?? [];
  return fingerprint === undefined || html === undefined ? null : { fingerprint, html };
}
