/**
 * A later version may add fields to answers and events (CHANGELOG.md, the API promise), so their schemas must
 * not forbid unknown fields: generated clients would refuse the whole answer. Schemas of requests stay
 * closed, so that a misspelled field is refused.
 */
import type { JsonSchema } from './json-schema.ts';

interface OpenApiParts extends JsonSchema {
  /** By path and method. */
  paths: Record<string, Record<string, JsonSchema>>;
  webhooks: Record<string, JsonSchema>;
  components: { schemas: Record<string, JsonSchema>; responses: Record<string, JsonSchema> } & JsonSchema;
}

/** A component that is used in requests as well stays closed. */
export function withOpenAnswers(document: OpenApiParts): OpenApiParts {
  const { paths, webhooks, components } = document;
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const sent = referredFrom(
    operations.map(({ requestBody }) => requestBody),
    components.schemas,
  );
  const openUnlessSent = (name: string, schema: JsonSchema) => (sent.has(name) ? schema : opened(schema));
  return {
    ...document,
    paths: mapped(paths, (_, methods) =>
      mapped(methods, (_method, operation) => ({ ...operation, responses: opened(operation.responses) })),
    ),
    webhooks: opened(webhooks),
    components: {
      ...components,
      schemas: mapped(components.schemas, openUnlessSent),
      responses: opened(components.responses),
    },
  };
}

const REFERENCE = '#/components/schemas/';

function referredFrom(value: unknown, schemas: Record<string, JsonSchema>, found = new Set<string>()) {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, each] of Object.entries(value)) {
    const name = key === '$ref' && typeof each === 'string' ? each.slice(REFERENCE.length) : null;
    if (name === null) referredFrom(each, schemas, found);
    else if (!found.has(name)) referredFrom(schemas[name], schemas, found.add(name));
  }
  return found;
}

function opened<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(opened) as Value;
  const kept = Object.entries(value).filter(
    ([key, each]) => key !== 'additionalProperties' || each !== false,
  );
  return Object.fromEntries(kept.map(([key, each]) => [key, opened(each)])) as Value;
}

const mapped = <From, To>(record: Record<string, From>, change: (key: string, value: From) => To) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]));
