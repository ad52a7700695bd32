/** Cookies of pages: the session, and the handoff that a redirect leaves in the browser for some minutes. */
import type { Context } from 'koa';
import { invalid } from '../process/errors.ts';

export type PageCookies = ReturnType<typeof createCookies>;

const HANDOFF_SECONDS = 600;

export function createCookies({ baseUrl }: { baseUrl: string }) {
  const isSecure = baseUrl.startsWith('https:');
  return {
    visitor: createCookie('dms_operator', { isSecure }),
    handoff: createCookie('dms_operator_handoff', { isSecure, maxAgeSeconds: HANDOFF_SECONDS }),
  };
}

interface CookieOptions {
  isSecure: boolean;
  /** Default: until the browser closes. */
  maxAgeSeconds?: number;
}

/**
 * With HTTPS, the prefix keeps other hosts of the domain from setting the cookie: browsers accept it only for
 * this host and for the path / (RFC 6265bis, 4.1.3.2).
 */
function createCookie(plainName: string, { isSecure, maxAgeSeconds }: CookieOptions) {
  const name = `${isSecure ? '__Host-' : ''}${plainName}`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const lasting = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
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
      const lifetime = value === null ? '; Max-Age=0' : lasting;
      ctx.append('Set-Cookie', `${name}=${value ?? ''}; ${attributes}${lifetime}`);
    },
  };
}
