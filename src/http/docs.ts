/**
 * `/openapi.json` and `/docs/api`: the page and its scripts come from node_modules, so they work without
 * internet.
 */
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ReadOnlyPaths } from './app.ts';
import type { JsonSchema } from './json-schema.ts';

const PREFIX = '/docs/api';
const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>API reference · Device Monitoring Service</title>
  <link rel="icon" href="/favicon.ico" type="image/svg+xml">
  <link rel="stylesheet" href="${PREFIX}/swagger-ui.css">
</head>
<body>
  <a href="/docs">Documentation</a>
  <div id="docs"></div>
  <script src="${PREFIX}/swagger-ui-bundle.js"></script>
  <script src="${PREFIX}/start.js"></script>
</body>
</html>
`;
const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, persistAuthorization: false, validatorUrl: null });\n`;

const FILES: Record<string, string> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
};
const POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'";

/** The document is built on the first request, because that takes longer than the rest of a start. */
export function createDocs(makeDocument: () => JsonSchema): ReadOnlyPaths {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  let json: string | undefined;
  return {
    has: (path) => path === '/openapi.json' || path === PREFIX || path.startsWith(`${PREFIX}/`),
    async handle(ctx, next) {
      if (ctx.path === '/openapi.json') {
        ctx.type = 'application/json';
        json ??= JSON.stringify(makeDocument());
        ctx.body = json;
        return;
      }
      ctx.set('Content-Security-Policy', POLICY);
      const name = ctx.path.slice(`${PREFIX}/`.length);
      if (name === '') {
        ctx.type = 'text/html';
        ctx.body = PAGE;
      } else if (name === 'start.js') {
        ctx.type = 'text/javascript';
        ctx.body = START;
      } else if (Object.hasOwn(FILES, name)) {
        ctx.type = FILES[name] as string;
        ctx.body = createReadStream(join(folder, name));
      } else await next();
    },
  };
}
