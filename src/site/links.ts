/** Targets of links in documents, as paths on the site. */
import type { Document } from './documents.ts';

/** Null: the target is not on the site. */
type ResolveLink = (from: string, target: string) => string | null;

export const DOCS_PATH = '/docs';

export const hrefOf = ({ path }: Pick<Document, 'path'>): string =>
  path === '' ? DOCS_PATH : `${DOCS_PATH}/${path}`;

/** `others` are paths by file of the repository, besides documents. */
export function createLinks(documents: Document[], others: Record<string, string>): ResolveLink {
  const paths = new Map(Object.entries(others));
  for (const document of documents) {
    paths.set(document.file, hrefOf(document));
    // A folder leads to its README.
    paths.set(document.file.replace(/\/?README\.md$/, ''), hrefOf(document));
  }
  return (from, target) => {
    if (/^(https?:\/\/|mailto:)/i.test(target)) return target;
    const url = toUrl(target, from);
    const path = url && paths.get(fileOf(url));
    return path ? path + url.hash : null;
  };
}

const REPOSITORY = 'http://repository';

/** Null for other hosts and schemes, such as scripts. */
function toUrl(target: string, from: string): URL | null {
  const base = `${REPOSITORY}/${from}`;
  if (!URL.canParse(target, base)) return null;
  const url = new URL(target, base);
  return url.origin === REPOSITORY ? url : null;
}

const fileOf = ({ pathname }: URL): string => pathname.slice(1).replace(/\/$/, '');
