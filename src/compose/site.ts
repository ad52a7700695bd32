/**
 * The documentation as a site. Its files are read at the start, so that a build without them does not start.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ReadOnlyPaths } from '../http/app.ts';
import { requireTurn } from '../http/authenticate.ts';
import { addressOf, createClientAddress, limitedAs } from '../http/client-address.ts';
import type { JsonSchema } from '../http/json-schema.ts';
import { createOpenApiPath } from '../http/openapi.ts';
import { readStaticFiles } from '../http/static-files.ts';
import { createTokenBucket } from '../http/token-bucket.ts';
import { DIAGRAMS_FOLDER } from '../site/diagrams.ts';
import { decisionDocument, PICTURES, sectionsWith } from '../site/documents.ts';
import { REFERENCE_FILE, referenceDocuments } from '../site/reference.ts';
import { createSiteRoutes, type SiteRoutesOptions } from '../site/site.routes.ts';
import { createSite } from '../site/site.ts';
import type { Resources } from './resources.ts';

/** Root of the repository, or of the build, which has the documents in the same places. */
const ROOT = new URL('../../', import.meta.url);
const fileOf = (path: string) => new URL(path, ROOT);
const read = (path: string): string => readFileSync(fileOf(path), 'utf8');
const own = (name: string) => new URL(`../site/static/${name}`, import.meta.url);
const BASE = new URL('../operator/static/base.css', import.meta.url);
const ICON = new URL('../operator/static/icon.svg', import.meta.url);

/**
 * Requests of one client: a sustained rate per second, and a burst. A page with its pictures takes about ten
 * requests.
 */
const PAGES_PER_CLIENT = { perSecond: 20, burst: 400 };

/** The site and the reference of the API, with one bucket for each client. */
export function composeSite(
  { hasOperatorsPage, makeDocument }: { hasOperatorsPage: boolean; makeDocument: () => JsonSchema },
  { settings, monotonicMs }: Pick<Resources, 'settings' | 'monotonicMs'>,
): ReadOnlyPaths[] {
  const clientAddress = createClientAddress(settings.trustedProxies);
  const pages = createTokenBucket({ ...PAGES_PER_CLIENT, monotonicMs });
  const limited = ({ has, handle }: ReadOnlyPaths): ReadOnlyPaths => ({
    has,
    handle(ctx, next) {
      requireTurn(pages.take(limitedAs(addressOf(ctx.req, clientAddress))));
      return handle(ctx, next);
    },
  });
  return [createOpenApiPath(makeDocument), createSiteRoutes(readSite(hasOperatorsPage))].map(limited);
}

function readSite(hasOperatorsPage: boolean): SiteRoutesOptions {
  const unlisted = decisionNames().map((name) => decisionDocument(name, read(`docs/decisions/${name}.md`)));
  const reference = read(REFERENCE_FILE);
  const sections = sectionsWith(referenceDocuments(JSON.parse(reference)));
  const documents = [...sections.flatMap((section) => section.documents), ...unlisted].filter(
    ({ file }) => !file.startsWith(REFERENCE_FILE),
  );
  const diagrams = readdirSync(fileOf(DIAGRAMS_FOLDER)).map((name) => `${DIAGRAMS_FOLDER}/${name}`);
  const staticFiles = readStaticFiles('/docs/static', {
    'base.css': BASE,
    'site.css': own('site.css'),
    'site.mjs': own('site.mjs'),
    'own-key.mjs': own('own-key.mjs'),
    'attempt.mjs': own('attempt.mjs'),
    'minisearch.mjs': moduleOfMiniSearch(),
    ...Object.fromEntries([...PICTURES, ...diagrams].map((path) => [nameOf(path), fileOf(path)])),
  });
  const site = createSite({
    sections,
    unlisted,
    texts: {
      [REFERENCE_FILE]: reference,
      ...Object.fromEntries(documents.map(({ file }) => [file, read(file)])),
    },
    otherPaths: Object.fromEntries(PICTURES.map((path) => [path, staticFiles.pathOf(nameOf(path))])),
    diagramPaths: Object.fromEntries(
      diagrams.map((path) => [nameOf(path), staticFiles.pathOf(nameOf(path))]),
    ),
    hasOperatorsPage,
    pathOf: staticFiles.pathOf,
  });
  return { site, staticFiles, icon: readFileSync(ICON) };
}

/** The ES module of MiniSearch; `require` finds another build, which browsers cannot load. */
const moduleOfMiniSearch = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('minisearch')), '../es/index.js');

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const decisionNames = (): string[] =>
  readdirSync(fileOf('docs/decisions'))
    .filter((name) => /^\d+-.*\.md$/.test(name))
    .map((name) => name.replace(/\.md$/, ''))
    .sort();
