/**
 * `/docs`, the landing page at `/` and the icon: for browsers, without a key and without content of other
 * origins.
 */
import type { Context } from 'koa';
import type { ReadOnlyPaths } from '../http/app.ts';
import { pageHeaders } from '../http/page-headers.ts';
import { helpLink } from '../http/render-error.ts';
import { KEPT_FOR_GOOD, type StaticFiles } from '../http/static-files.ts';
import { DOCS_PATH } from './links.ts';
import type { SearchIndex, Site } from './site.ts';

export interface SiteRoutesOptions {
  site: Site;
  staticFiles: StaticFiles;
  icon: Buffer;
}

const ICON_PATH = '/favicon.ico';
const HEADERS = pageHeaders(["img-src 'self'", "form-action 'none'"]);
const KEPT_FOR_A_DAY = 'public, max-age=86400';

export function createSiteRoutes({ site, staticFiles, icon }: SiteRoutesOptions): ReadOnlyPaths {
  return {
    has: (path) =>
      path === '/' || path === ICON_PATH || path === DOCS_PATH || path.startsWith(`${DOCS_PATH}/`),
    async handle(ctx, next) {
      ctx.set(HEADERS);
      if (ctx.path === ICON_PATH) return sendIcon(ctx, icon);
      if (staticFiles.has(ctx.path)) return staticFiles.send(ctx);
      if (ctx.path === site.indexPath) return sendIndex(ctx, await site.searchIndex());
      const page = ctx.path === '/' ? null : site.pageAt(ctx.path);
      if (page !== null) return sendPage(ctx, await page);
      const other = otherSpelling(ctx.path);
      if (site.pageAt(other) !== null) return redirect(ctx, other);
      ctx.vary('Accept');
      // Programs get the same error as at any other path.
      if (!prefersHtml(ctx)) return next();
      if (ctx.path === '/') return sendPage(ctx, site.landing());
      ctx.set(helpLink(404));
      return sendPage(ctx, site.notFound(), 404);
    },
  };
}

const prefersHtml = (ctx: Context): boolean => ctx.accepts('json', 'html') === 'html';

/** Other spellings of a page: with a slash at the end, or with the file name of the repository. */
const otherSpelling = (path: string): string => path.replace(/(?:\/README)?(?:\.md)?\/?$/, '');

function redirect(ctx: Context, path: string): void {
  ctx.status = 301;
  ctx.set('Location', path);
}

function sendPage(ctx: Context, page: string | Buffer, status = 200): void {
  ctx.status = status;
  ctx.type = 'text/html';
  ctx.body = page;
}

function sendIndex(ctx: Context, { json, gzip }: SearchIndex): void {
  ctx.set('Cache-Control', KEPT_FOR_GOOD);
  ctx.vary('Accept-Encoding');
  ctx.type = 'application/json';
  const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isZipped) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isZipped ? gzip : json;
}

function sendIcon(ctx: Context, icon: Buffer): void {
  ctx.set('Cache-Control', KEPT_FOR_A_DAY);
  ctx.type = 'image/svg+xml';
  ctx.body = icon;
}
