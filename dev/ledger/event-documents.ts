/** Compares the bodies of webhooks with openapi.json, which customers rely on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { closedSchemas } from './closed-schemas.ts';

interface OpenApi {
  webhooks: Record<
    string,
    { post: { requestBody: { content: { 'application/json': { schema: object } } } } }
  >;
  components: object;
}

type EventCheck = (type: string, event: unknown) => string | null;

/**
 * The fault of an event; null when there is none. While two releases run, an event must match the document of
 * either.
 *
 * @param roots Folders of the releases, the current one first.
 */
export function createEventCheck(roots: readonly string[]): EventCheck {
  const checks = roots.map(checkOfRelease);
  return (type, event) => {
    const faults = checks.map((check) => check(type, event));
    return faults.includes(null) ? null : (faults[0] as string);
  };
}

function checkOfRelease(root: string): EventCheck {
  const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as OpenApi;
  const { webhooks, components } = closedSchemas(document);
  const ajv = new Ajv2020({ strict: false });
  (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
  const checks = new Map(
    Object.entries(webhooks).map(([type, { post }]) => [
      type,
      ajv.compile({ ...post.requestBody.content['application/json'].schema, components }),
    ]),
  );
  return (type, event) => {
    const check = checks.get(type);
    if (!check) return `there is no event ${type}`;
    return check(event) ? null : ajv.errorsText(check.errors);
  };
}
