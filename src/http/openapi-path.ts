/** `/openapi.json`. */
import type { ReadOnlyPaths } from './app.ts';
import type { JsonSchema } from './json-schema.ts';

/** The document is built on the first request, because that takes longer than the rest of a start. */
export function createOpenApiPath(makeDocument: () => JsonSchema): ReadOnlyPaths {
  let json: string | undefined;
  return {
    has: (path) => path === '/openapi.json',
    async handle(ctx) {
      ctx.type = 'application/json';
      json ??= JSON.stringify(makeDocument());
      ctx.body = json;
    },
  };
}
