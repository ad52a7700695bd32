/**
 * Files of the pages, read once. Their paths contain a hash of all of them, so browsers may cache them
 * forever, and a module imports another one by its name.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Context } from 'koa';

export type StaticFiles = ReturnType<typeof readStaticFiles>;

interface StaticFile {
  bytes: Buffer;
  type: string;
}

const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
};
export const KEPT_FOR_GOOD = 'public, max-age=31536000, immutable';

export function readStaticFiles(prefix: string, files: Record<string, URL | string>) {
  const byPath = new Map<string, StaticFile>();
  const paths = new Map<string, string>();
  const all = Object.entries(files).map(([name, file]) => ({ name, bytes: readFileSync(file) }));
  const hash = createHash('sha256');
  for (const { name, bytes } of all) hash.update(`${name} ${bytes.length}\n`).update(bytes);
  const folder = `${prefix}/${hash.digest('hex').slice(0, 12)}`;
  for (const { name, bytes } of all) {
    const path = `${folder}/${name}`;
    paths.set(name, path);
    byPath.set(path, { bytes, type: TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream' });
  }
  return {
    has: (path: string) => byPath.has(path),
    send(ctx: Context): void {
      const { bytes, type } = byPath.get(ctx.path) as StaticFile;
      ctx.set('Cache-Control', KEPT_FOR_GOOD);
      ctx.set('Content-Type', type);
      ctx.body = bytes;
    },
    /** @throws when there is no such file. */
    pathOf(name: string): string {
      const path = paths.get(name);
      if (path === undefined) throw new Error(`There is no static file ${name}`);
      return path;
    },
  };
}
