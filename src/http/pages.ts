/**
 * Pages for people who are signed in by a cookie. No other origin may provide content, embed the pages, or
 * send their forms: the policy forbids inline scripts and styles, and a POST has to come from a page at
 * `baseUrl`.
 */
import type { Context } from 'koa';
import { AppError, conflict, invalid, notFound } from '../process/errors.ts';
import type { ReadOnlyPaths } from './app.ts';
import { addressOf, type ClientAddress, limitedAs } from './client-address.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import { createFindRoute, paramsIn, toPattern } from './find-route.ts';
import { pageHeaders } from './page-headers.ts';
import type { OpenPageRequest, OpenPageRoute, PageReply, PageRoute } from './page-route.ts';
import { createBodyBudget, type TakeBytes } from './read-body.ts';
import { readFileForm, readForm, readQuery, type SentForm } from './read-form.ts';
import { renderError } from './render-error.ts';
import { includesRole, type Role } from './role.ts';
import type { StaticFiles } from './static-files.ts';

/** Who is signed in. */
interface SignedIn {
  id: string;
  organizationId: string;
  role: Role;
}

interface PagesOptions<Visitor extends SignedIn> {
  /** Common prefix of all paths. */
  prefix: string;
  /** Public URL of the pages; its scheme decides whether cookies are sent over HTTPS only. */
  baseUrl: string;
  /** The lifetime of the visitor's cookie, so that an installed page keeps it while it is closed. */
  visitSeconds: number;
  routes: ReadonlyArray<PageRoute<Visitor> | OpenPageRoute<Visitor>>;
  /** @throws when the session of the cookie sends too many requests, also one that has ended. */
  findVisitor(cookie: string | undefined): Promise<Visitor | null>;
  /** Forms with a file at once. */
  fileLimit: ConcurrencyLimit;
  /** @throws when the organization of this visitor sends too many requests. */
  admit(visitor: Visitor): void;
  clientAddress: ClientAddress;
  staticFiles: StaticFiles;
  translateFault(error: unknown): unknown;
  /** `visitor` is null if the person has to sign in; `url` is null where it cannot be opened again. */
  errorPage(error: { status: number; message: string; url: string | null }, visitor: Visitor | null): string;
  /** An error that is a defect of the service. */
  onDefect(error: unknown): void;
}

/** Draws live pages for a visitor whose session has already been checked. */
export function createPageRenderer<Visitor extends { role: Role }>(
  routes: ReadonlyArray<PageRoute<Visitor>>,
) {
  const live = routes.filter(({ isLive }) => isLive);
  const matchers = live.map((route) => ({ route, pattern: toPattern(route.path) }));
  const find = (path: string) => matchers.find(({ pattern }) => pattern.test(path));
  return {
    isLive: (url: string): boolean => find(pathIn(url)) !== undefined,
    /** `form`: typed on the page, which is drawn as the answer. */
    async draw(visitor: Visitor, url: string, form = NO_FORM.form): Promise<string> {
      const path = pathIn(url);
      const matcher = find(path);
      if (!matcher || !includesRole(visitor.role, matcher.route.role))
        throw notFound('There is no such page');
      const params = paramsIn(matcher.pattern, path);
      const query = readQuery(url.slice(path.length));
      const reply = await matcher.route.handle({ visitor, params, query, form, file: null, url });
      return 'page' in reply ? reply.page : '';
    },
  };
}

const NO_FORM: SentForm = { form: new URLSearchParams(), file: null };

async function readSent(
  { req }: Context,
  { method, role, fileBytesMax }: Pick<AnyRoute<unknown>, 'method' | 'role' | 'fileBytesMax'>,
  take: TakeBytes,
): Promise<SentForm> {
  if (method !== 'POST') return NO_FORM;
  return fileBytesMax === undefined
    ? readForm(req, take, { isOpen: role === null })
    : readFileForm(req, fileBytesMax, take);
}

const pathIn = (url: string): string => url.split('?')[0] ?? '';

const HEADERS = {
  ...pageHeaders(["img-src 'self' data:", "manifest-src 'self'", "form-action 'self'"]),
  'X-Frame-Options': 'DENY',
};

type AnyRoute<Visitor> = PageRoute<Visitor> | OpenPageRoute<Visitor>;

export function createPages<Visitor extends SignedIn>(options: PagesOptions<Visitor>): ReadOnlyPaths {
  const { prefix, staticFiles } = options;
  const find = createFindRoute<AnyRoute<Visitor>>(options.routes, {
    noun: 'page',
    nothingThere: 'There is no page at this address',
  });
  const cookies = createCookies(options);
  const hold = createBodyBudget();

  async function answer(ctx: Context, visitor: Visitor | null): Promise<void> {
    const { route, params } = find(ctx.method, ctx.path);
    if (route.role !== null && visitor === null) throw signInFirst();
    if (route.role !== null && !includesRole((visitor as Visitor).role, route.role))
      throw forbidden(route.role);
    if (route.role === null && route.holdsSecret) ctx.set('Referrer-Policy', 'no-referrer');
    // Browsers send no origin from pages without a referrer, and no other site knows the secret.
    else if (route.method === 'POST') requireOwnOrigin(ctx, options.baseUrl);
    const query = readQuery(ctx.querystring);
    const address = limitedAs(addressOf(ctx.req, options.clientAddress));
    const isAbandoned = () => !ctx.writable;
    const reply = () =>
      hold(visitor?.organizationId ?? address, async (take) => {
        const sent = await readSent(ctx, route, take);
        requireSameOrganization(visitor, sent.form.get(DRAWN_FOR) ?? query.get(DRAWN_FOR));
        sent.form.delete(DRAWN_FOR);
        const handoff = cookies.handoff.get(ctx);
        const request = { visitor, params, query, ...sent, url: ctx.url, address, handoff, isAbandoned };
        return route.handle(request as OpenPageRequest<Visitor>);
      });
    const isLimited = visitor !== null && route.fileBytesMax !== undefined;
    // A page about thousands of rows takes megabytes until it is read.
    const answered = isLimited ? options.fileLimit.answer(requesterOf(visitor), ctx.res, reply) : reply();
    send(ctx, await answered, cookies);
  }

  async function handle(ctx: Context): Promise<void> {
    ctx.set(HEADERS);
    if (staticFiles.has(ctx.path)) return staticFiles.send(ctx);
    let visitor: Visitor | null = null;
    try {
      visitor = await options.findVisitor(cookies.visitor.get(ctx));
      if (visitor) options.admit(visitor);
      await answer(ctx, visitor);
    } catch (thrown) {
      const error = options.translateFault(thrown);
      if (!(error instanceof AppError)) options.onDefect(error);
      const { status, headers, body } = renderError(error);
      ctx.status = status;
      ctx.set(headers);
      ctx.remove('WWW-Authenticate');
      ctx.type = 'text/html';
      const url = ctx.method === 'GET' ? ctx.url : null;
      ctx.body = options.errorPage({ status, message: body.message, url }, visitor);
    }
  }

  return {
    has: (path) => path === prefix || path.startsWith(`${prefix}/`),
    handle,
  };
}

function send(ctx: Context, reply: PageReply, cookies: PageCookies): void {
  if ('handoff' in reply && reply.handoff !== undefined) cookies.handoff.set(ctx, reply.handoff);
  if ('location' in reply) {
    if (reply.cookie !== undefined) cookies.visitor.set(ctx, reply.cookie);
    ctx.status = 303;
    ctx.set('Location', reply.location);
    return;
  }
  if ('stream' in reply) {
    ctx.set(reply.headers);
    ctx.body = reply.stream;
    return;
  }
  if ('json' in reply) {
    ctx.type = 'application/json';
    ctx.body = JSON.stringify(reply.json);
    return;
  }
  ctx.status = reply.status ?? 200;
  ctx.type = 'text/html';
  ctx.body = reply.page;
}

const requesterOf = ({ id, organizationId }: SignedIn) => ({ keyId: id, organizationId });

const signInFirst = () => new AppError('unauthenticated', 'Sign in first');
const forbidden = (role: Role) => new AppError('forbidden', `This needs the role ${role}`);

/**
 * Browsers send the origin of every POST. The Host header proves nothing, because another site may map its
 * name to this address.
 */
function requireOwnOrigin(ctx: Context, baseUrl: string): void {
  const { origin } = new URL(baseUrl);
  if (ctx.get('Origin') === origin) return;
  throw new AppError('forbidden', `This form was sent from another site: open the page at ${origin}`);
}

/** The organization of the page that sends a form or follows changes, as the scripts of the page add it. */
const DRAWN_FOR = 'drawnFor';

/** A sign-in in another tab replaces the cookie of every open page. */
function requireSameOrganization(visitor: SignedIn | null, drawnFor: string | null): void {
  if (visitor === null || drawnFor === null || drawnFor === visitor.organizationId) return;
  throw conflict(
    'You are signed in to another organization than the one of this page, so nothing was changed: open the page again',
  );
}

type PageCookies = ReturnType<typeof createCookies>;

const HANDOFF_SECONDS = 600;

/** Cookies for the session, and for the handoff that an answer leaves in the browser for some minutes. */
export function createCookies({ baseUrl, visitSeconds }: { baseUrl: string; visitSeconds: number }) {
  const isSecure = baseUrl.startsWith('https:');
  return {
    visitor: createCookie('dms_operator', { isSecure, maxAgeSeconds: visitSeconds }),
    handoff: createCookie('dms_operator_handoff', { isSecure, maxAgeSeconds: HANDOFF_SECONDS }),
  };
}

interface CookieOptions {
  isSecure: boolean;
  maxAgeSeconds: number;
}

/**
 * With HTTPS, the prefix keeps other hosts of the domain from setting the cookie: browsers accept it only for
 * this host and for the path / (RFC 6265bis, 4.1.3.2).
 */
function createCookie(plainName: string, { isSecure, maxAgeSeconds }: CookieOptions) {
  const name = `${isSecure ? '__Host-' : ''}${plainName}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    /** @throws invalid when there are two, because one of them may have been planted. */
    get(ctx: Context): string | undefined {
      const [value, second] = ctx
        .get('Cookie')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1));
      if (second !== undefined)
        throw invalid(`There are two cookies ${name}: delete the cookies of this site`);
      return value;
    },
    /** Null deletes the cookie. */
    set(ctx: Context, value: string | null): void {
      const lifetime = value === null ? 0 : maxAgeSeconds;
      ctx.append('Set-Cookie', `${name}=${value ?? ''}; ${attributes}; Max-Age=${lifetime}`);
    },
  };
}
