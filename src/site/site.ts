/** The pages of the site, made from their documents. Each is rendered on the first request, and cached. */

import { createHash } from 'node:crypto';
import { gzip } from 'node:zlib';
import MiniSearch from 'minisearch';
import type { ApiDocument } from '../http/api-document.ts';
import { type Html, html } from '../operator/html.ts';
import { cutText } from '../process/cut-text.ts';
import { memoized } from '../process/memoized.ts';
import { diagramFile } from './diagrams.ts';
import type { Document, Section } from './documents.ts';
import { plainPage, REFERENCE_PATH, SITE_NAME, type SiteFrame, sitePage } from './layout.ts';
import { createLinks, DOCS_PATH, hrefOf } from './links.ts';
import { type Passage, type Rendered, renderMarkdown } from './markdown.ts';
import { REFERENCE_FILE, renderReference } from './reference.ts';

interface SiteOptions {
  sections: Section[];
  /** Documents outside of all sections. */
  unlisted: Document[];
  /** Texts by file. */
  texts: Record<string, string>;
  /** Paths of other files, by file. */
  otherPaths: Record<string, string>;
  /** Paths of diagrams, by their file. */
  diagramPaths: Record<string, string>;
  hasOperatorsPage: boolean;
  pathOf(name: string): string;
}

/** As JSON, and compressed for browsers that accept it: bytes, which any number of slow clients share. */
export interface SearchIndex {
  json: Buffer;
  gzip: Buffer;
}

export type Site = ReturnType<typeof createSite>;

export function createSite(options: SiteOptions) {
  const { sections, texts, hasOperatorsPage, pathOf } = options;
  const documents = [...sections.flatMap((section) => section.documents), ...options.unlisted];
  const resolve = createLinks(documents, options.otherPaths);
  const places = new Map(documents.map((document, place) => [hrefOf(document), place]));
  const findDiagram = (text: string) => options.diagramPaths[diagramFile(text)] ?? null;
  const frame: SiteFrame = { sections, hasOperatorsPage, pathOf, indexPath: indexPathOf(texts) };

  const api = () => JSON.parse(texts[REFERENCE_FILE] ?? '') as ApiDocument;
  const render = memoized(itself, async (document: Document): Promise<Rendered> => {
    if (document.file.startsWith(REFERENCE_FILE)) return renderReference(api(), document);
    const text = texts[document.file] ?? '';
    const markdown = document.file.endsWith('.sql') ? toSchemaDocument(text) : text;
    return renderMarkdown(markdown, (target) => resolve(document.file, target), findDiagram);
  });
  const page = memoized(itself, async (document: Document): Promise<Buffer> => {
    const place = places.get(hrefOf(document)) as number;
    const { title, body, headings } = await render(document);
    const [previous, next] = [documents[place - 1], documents[place + 1]];
    return Buffer.from(sitePage(frame, { title, body, headings, path: document.path, previous, next }));
  });
  /** Renders the pages one after the other, as they are consumed. */
  async function* indexed(): AsyncGenerator<IndexedPage> {
    for (const document of documents.filter(({ isUnsearched }) => !isUnsearched)) {
      yield { href: hrefOf(document), title: document.label, passages: (await render(document)).passages };
    }
  }
  let index: Promise<SearchIndex> | undefined;

  return {
    /** Path of the search index, which changes with the documents. */
    indexPath: frame.indexPath,
    /** Null when there is no page at this path. */
    pageAt(path: string): Promise<Buffer> | null {
      const document = documents[places.get(path) ?? -1];
      return document === undefined ? null : page(document);
    },
    landing: () => plainPage(frame, SITE_NAME, landing(hasOperatorsPage)),
    notFound: () => sitePage(frame, { title: 'Not found', body: NOT_FOUND, path: null, headings: [] }),
    searchIndex(): Promise<SearchIndex> {
      index ??= toSearchIndex(indexed()).then(async (json) => ({
        json: Buffer.from(json),
        gzip: await compress(json),
      }));
      return index;
    },
  };
}

/** Compresses in threads beside the event loop. */
const compress = (text: string): Promise<Buffer> =>
  new Promise((resolve, reject) => gzip(text, (error, bytes) => (error ? reject(error) : resolve(bytes))));

const NOT_FOUND = html`<h1>There is no such page</h1>
<p>The address may be mistyped, or the page may have moved. The contents list all pages, and the search finds words in them.</p>`;

const indexPathOf = (texts: Record<string, string>): string =>
  `${DOCS_PATH}/search/${createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12)}.json`;

const itself = <Item>(item: Item): Item => item;

/**
 * Renders the dump of the database schema as a document with a heading for each table, so that tables can be
 * linked and searched.
 */
function toSchemaDocument(sql: string): string {
  const statements = sql.split(/^(?=CREATE (?:TABLE|OR REPLACE FUNCTION) )/m);
  const parts = statements.map((statement) => {
    const table = /^CREATE TABLE (\w+)/.exec(statement)?.[1];
    return table === undefined ? code(statement) : `## ${table}\n\n${code(statement)}`;
  });
  return `# Database schema\n\n${parts.join('\n\n')}`;
}

const code = (sql: string) => `\`\`\`sql\n${sql.trimEnd()}\n\`\`\``;

/** The page at the root of the service for browsers. It shows nothing of any customer. */
const landing = (hasOperatorsPage: boolean): Html => html`<h1>${SITE_NAME}</h1>
<p>This address answers programs and loggers. For people there is:</p>
<ul class="cards">
<li><a href="${DOCS_PATH}">Documentation</a><span>from the first request to running it</span></li>
<li><a href="${REFERENCE_PATH}">API reference</a><span>each operation, to read and to try</span></li>
${
  hasOperatorsPage &&
  html`<li><a href="/operator">Operators’ page</a><span>the fleet, its alerts, jobs and webhooks</span></li>
`
}<li><a href="/readyz">Health</a><span>whether the service can do its work</span></li>
</ul>`;

interface IndexedPage {
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

/** Returns the index that browsers search as JSON, with an entry for each passage of a page. Yields to other work after every few passages. */
async function toSearchIndex(pages: AsyncIterable<IndexedPage>): Promise<string> {
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
