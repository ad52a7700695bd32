/** The cookies of pages: who is signed in, and what a redirect leaves in the browser for some minutes. */
import type { Context } from 'koa';

export type PageCookies = ReturnType<typeof createCookies>;

const HANDOFF_SECONDS = 600;

export function createCookies({ prefix, baseUrl }: { prefix: string; baseUrl: string }) {
  const isSecure = baseUrl.startsWith('https:');
  return {
    visitor: createCookie('dms_operator', { path: prefix, isSecure }),
    handoff: createCookie('dms_operator_handoff', { path: prefix, isSecure, maxAgeSeconds: HANDOFF_SECONDS }),
  };
}

interface CookieOptions {
  path: string;
  isSecure: boolean;
  /** Default: until the browser ends. */
  maxAgeSeconds?: number;
}

/** With HTTPS, the name keeps other hosts of the domain from setting the cookie. */
function createCookie(plainName: string, { path, isSecure, maxAgeSeconds }: CookieOptions) {
  const name = `${isSecure ? '__Secure-' : ''}${plainName}`;
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  const lasting = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
  return {
    get(ctx: Context): string | undefined {
      const pairs = ctx
        .get('Cookie')
        .split(';')
        .map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    },
    /** null takes it away. */
    set(ctx: Context, value: string | null): void {
      const lifetime = value === null ? '; Max-Age=0' : lasting;
      ctx.append('Set-Cookie', `${name}=${value ?? ''}; ${attributes}${lifetime}`);
    },
  };
}
