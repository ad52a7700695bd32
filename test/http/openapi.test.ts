/**
 * The documentation of the API: current, and readable without internet access. Redocly and Spectral, which `npm test` runs
 * beside the tests, check that `openapi.json` is well-formed, refers to nothing that is missing, and has examples that fit.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { closedSchemas } from '../../dev/ledger/closed-schemas.ts';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.schemas.ts';
import type { Client } from '../support/client.ts';
import { useService } from '../support/service.ts';

type Json = { [key: string]: unknown };

interface Parameter extends Json {
  name: string;
  schema: Json;
}

interface Webhook extends Json {
  operationId: string;
  parameters: Array<{ $ref: string }>;
  requestBody: { content: { 'application/json': { schema: Json; example: { type: string } } } };
  responses: Record<string, { description: string }>;
}

interface Operation extends Json {
  operationId: string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<
    string,
    { $ref?: string; description?: string; content?: Record<string, { schema: Json }> }
  >;
}

interface Document extends Json {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Webhook }>;
  components: {
    schemas: Record<string, Json>;
    parameters: Record<string, Parameter>;
    responses: Record<string, { description: string; content: { 'application/json': { schema: Json } } }>;
  };
}

const GOLDEN = new URL('../../openapi.json', import.meta.url);

describe('The OpenAPI document', () => {
  const dms = useService({ withWorker: false });
  let anybody: Client;
  let document: Document;
  let operations: Operation[];

  before(async () => {
    anybody = dms.with(null);
    document = (await anybody.get('/openapi.json')).body;
    operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  });

  /** Every top-level schema of the document with its location. */
  function* schemas(): Generator<[string, Json]> {
    for (const [name, schema] of Object.entries(document.components.schemas)) yield [name, schema];
    for (const operation of operations) {
      for (const { name, schema } of operation.parameters) yield [`${operation.operationId} ${name}`, schema];
      for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {})) {
        yield [`${operation.operationId} ${type}`, schema];
      }
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const { schema } of Object.values(content)) yield [`${operation.operationId} ${status}`, schema];
      }
    }
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      yield [type, post.requestBody.content['application/json'].schema];
    }
  }

  /** The value and every object inside it. */
  function* objects(value: unknown): Generator<Json> {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) yield value as Json;
    for (const inner of Object.values(value)) yield* objects(inner);
  }

  function newAjv(): Ajv2020 {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    (addFormats as unknown as (instance: Ajv2020) => void)(ajv);
    return ajv;
  }

  it('equals openapi.json in the repository', async () => {
    const golden = readFileSync(GOLDEN, 'utf8').split('\n');
    const served = `${JSON.stringify(document, null, 2)}\n`.split('\n');
    const line = served.findIndex((text, index) => text !== golden[index]);
    assert.ok(
      line === -1 && served.length === golden.length,
      `openapi.json is not what is served, from its line ${line + 1} on: refresh it with \`npm run openapi\`, and read the difference as your callers will`,
    );
  });

  it('describes every response, and every error with the common error body', () => {
    for (const operation of operations) {
      for (const [status, { $ref, description }] of Object.entries(operation.responses)) {
        assert.match(status, /^[2-5]\d\d$/);
        if (Number(status) < 400) assert.ok(description, `${operation.operationId} ${status}`);
        else assert.match(String($ref), /^#\/components\/responses\//, `${operation.operationId} ${status}`);
      }
    }
    for (const [name, { description, content }] of Object.entries(document.components.responses)) {
      assert.ok(description, name);
      assert.deepEqual(content['application/json'].schema, { $ref: '#/components/schemas/Error' });
    }
  });

  const isClosed = ({ additionalProperties }: Json) => additionalProperties === false;
  const isObject = ({ type, properties }: Json) => type === 'object' && properties !== undefined;

  it('allows no additional fields in requests', () => {
    for (const operation of operations)
      for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
        for (const each of withReferred(schema).filter(isObject))
          assert.ok(isClosed(each), `${operation.operationId}: ${Object.keys(each.properties as Json)}`);
  });

  it('allows additional fields, which a later version may add, in answers and events that are not also sent', () => {
    const sent = new Set(
      operations.flatMap((operation) =>
        Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => withReferred(schema)),
      ),
    );
    const answers = operations.flatMap((operation) =>
      Object.values(operation.responses).flatMap(({ content = {} }) => Object.values(content)),
    );
    const events = Object.values(document.webhooks).map(
      ({ post }) => post.requestBody.content['application/json'],
    );
    const closed = [...answers, ...events]
      .flatMap(({ schema }) => withReferred(schema))
      .filter((each) => isObject(each) && isClosed(each) && !sent.has(each));
    assert.deepEqual(closed, []);
  });

  /** The objects of a schema and of all schemas that it refers to. */
  function withReferred(schema: unknown, seen = new Set<string>()): Json[] {
    return [...objects(schema)].flatMap((each) => {
      const name = String(each.$ref ?? '')
        .split('/')
        .at(-1) as string;
      if (name === '' || seen.has(name)) return [each];
      return [each, ...withReferred(document.components.schemas[name], seen.add(name))];
    });
  }

  it('contains no schema that is only true or false, which client generators refuse', () => {
    for (const [where, schema] of schemas())
      for (const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } of objects(schema))
        for (const each of [...Object.values(properties as Json), items, anyOf, oneOf, allOf].flat())
          assert.notEqual(typeof each, 'boolean', where);
  });

  it('contains only examples that match their schemas', () => {
    const ajv = newAjv();
    ajv.addSchema(closedSchemas(document), 'api');
    for (const [where, schema] of schemas()) {
      for (const { examples, ...each } of objects(schema)) {
        if (!Array.isArray(examples)) continue;
        const resolved = JSON.parse(JSON.stringify(closedSchemas(each)).replaceAll('"#/', '"api#/'));
        for (const example of examples) {
          assert.ok(
            ajv.validate(resolved, example),
            `${where}: ${JSON.stringify(example)} ${ajv.errorsText()}`,
          );
        }
      }
    }
  });

  it('describes a POST for every type of event, with an example that fits', () => {
    const ajv = newAjv();
    ajv.addSchema(closedSchemas(document), 'api');
    assert.deepEqual(Object.keys(document.webhooks), Object.keys(EVENT_CATALOGUE));
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      const { schema, example } = post.requestBody.content['application/json'];
      const resolved = JSON.parse(JSON.stringify(closedSchemas(schema)).replaceAll('"#/', '"api#/'));
      assert.equal(example.type, type);
      assert.ok(ajv.validate(resolved, example), `${type}: ${ajv.errorsText()}`);
      assert.deepEqual(Object.keys(post.responses).sort(), ['2XX', '410', 'default']);
    }
  });

  it('serves the document as JSON without a key', async () => {
    const { status, headers } = await anybody.get('/openapi.json');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  });
});
