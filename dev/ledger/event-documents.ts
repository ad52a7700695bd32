/** Compares the bodies of webhooks with openapi.json, which is what customers build on. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface OpenApi {
  webhooks: Record<
    string,
    { post: { requestBody: { content: { 'application/json': { schema: object } } } } }
  >;
  components: object;
}

const DOCUMENT = new URL('../../openapi.json', import.meta.url);

/** What is wrong with an event; null when nothing is. */
export function createEventCheck(): (type: string, event: unknown) => string | null {
  const { webhooks, components } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as OpenApi;
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
