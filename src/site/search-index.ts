/** The index that browsers search: an entry for each passage of a page. */

import MiniSearch from 'minisearch';
import { cutText } from '../process/cut-text.ts';
import type { Passage } from './markdown.ts';

export interface IndexedPage {
  href: string;
  title: string;
  passages: Passage[];
}

const EXCERPT_LENGTH = 140;
/** Options that the browser needs to read the index. */
const OPTIONS = {
  idField: 'href',
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'excerpt'],
};

const PASSAGES_AT_ONCE = 10;

/** Returns the index as JSON. Yields to other work after every few passages. */
export async function toSearchIndex(pages: AsyncIterable<IndexedPage>): Promise<string> {
  const index = new MiniSearch(OPTIONS);
  for await (const page of pages) await index.addAllAsync(entriesOf(page), { chunkSize: PASSAGES_AT_ONCE });
  return JSON.stringify({ options: OPTIONS, index });
}

const entriesOf = ({ href, title, passages }: IndexedPage) =>
  passages.map(({ id, heading, text }) => ({
    href: id === null ? href : `${href}#${id}`,
    title,
    heading,
    text,
    excerpt: cutText(text.replace(/\s+/g, ' ').trim(), EXCERPT_LENGTH),
  }));
