/** The documentation of the API: current, well-formed, and readable without internet access. */
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
  in: string;
  required: boolean;
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
  tags: string[];
  parameters: Parameter[];
  security: Json[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<
    string,
    { $ref?: string; description?: string; content?: Record<string, { schema: Json }> }
  >;
}

interface Document extends Json {
  openapi: string;
  info: { title: string; version: string };
  tags: Array<{ name: string }>;
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Webhook }>;
  components: {
    schemas: Record<string, Json>;
    parameters: Record<string, Parameter>;
    responses: Record<string, { description: string; content: { 'application/json': { schema: Json } } }>;
    securitySchemes: Json;
  };
}

const GOLDEN = new URL('../../openapi.json', import.meta.url);
const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

describe('The OpenAPI document', () => {
  const dms = useService({ withWorker: false });
  let anybody: Client;
  let document: Document;
  let operations: Array<{ path: string; method: string; operation: Operation }>;

  before(async () => {
    anybody = dms.with(null);
    document = (await anybody.get('/openapi.json')).body;
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    );
  });

  /** Every top-level schema of the document with its location. */
  function* schemas(): Generator<[string, Json]> {
    for (const [name, schema] of Object.entries(document.components.schemas)) yield [name, schema];
    for (const { operation } of operations) {
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

  it('contains title, version and description', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.match(document.info.version, /^\d+\.\d+\.\d+/);
    assert.notEqual(document.info.title, '');
  });

  it('contains only paths and methods that OpenAPI allows', () => {
    for (const { path, method } of operations) {
      assert.match(path, /^\/[^?#]*$/);
      assert.ok(METHODS.includes(method), method);
    }
  });

  it('gives every operation a unique id, a summary and a declared tag', () => {
    const webhooks = Object.values(document.webhooks).map(({ post }) => post);
    const ids = [...operations.map(({ operation }) => operation), ...webhooks].map(
      ({ operationId }) => operationId,
    );
    assert.equal(new Set(ids).size, ids.length);
    const tags = document.tags.map(({ name }) => name);
    for (const { operation } of operations) {
      assert.ok(operation.summary, operation.operationId);
      assert.ok(
        operation.tags.every((tag) => tags.includes(tag)),
        operation.operationId,
      );
    }
  });

  it('describes every path parameter exactly once', () => {
    for (const { path, operation } of operations) {
      const { operationId, parameters } = operation;
      const names = parameters.map((each) => `${each.in} ${each.name}`);
      assert.equal(new Set(names).size, names.length, operationId);
      const inPath = parameters.filter((each) => each.in === 'path');
      assert.deepEqual(
        inPath.map(({ name }) => `{${name}}`),
        path.match(/\{\w+\}/g) ?? [],
        operationId,
      );
      assert.ok(
        inPath.every(({ required }) => required),
        operationId,
      );
    }
  });

  it('describes every response, and every error with the common error body', () => {
    for (const { operation } of operations) {
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

  it('secures every operation with a declared scheme', () => {
    for (const { operation } of operations) {
      assert.equal(operation.security.length, 1, operation.operationId);
      for (const scheme of Object.keys(operation.security[0] as Json)) {
        assert.ok(Object.hasOwn(document.components.securitySchemes, scheme), scheme);
      }
    }
  });

  it('contains no dangling reference and no unused component', () => {
    const references = [...objects(document)].flatMap(({ $ref }) =>
      $ref === undefined ? [] : [String($ref)],
    );
    const { schemas, parameters, responses } = document.components;
    const held = Object.entries({ schemas, parameters, responses }).flatMap(([kind, components]) =>
      Object.keys(components).map((name) => `#/components/${kind}/${name}`),
    );
    assert.deepEqual([...new Set(references)].sort(), held.sort());
  });

  it('contains only valid JSON Schema 2020-12', () => {
    const ajv = newAjv();
    for (const [where, schema] of schemas()) {
      assert.ok(ajv.validateSchema(schema), `${where}: ${ajv.errorsText(ajv.errors)}`);
    }
  });

  const isClosed = ({ additionalProperties }: Json) => additionalProperties === false;
  const isObject = ({ type, properties }: Json) => type === 'object' && properties !== undefined;

  it('allows no additional fields in requests', () => {
    for (const { operation } of operations)
      for (const { schema } of Object.values(operation.requestBody?.content ?? {}))
        for (const each of withReferred(schema).filter(isObject))
          assert.ok(isClosed(each), `${operation.operationId}: ${Object.keys(each.properties as Json)}`);
  });

  it('allows additional fields, which a later version may add, in answers and events that are not also sent', () => {
    const sent = new Set(
      operations.flatMap(({ operation }) =>
        Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => withReferred(schema)),
      ),
    );
    const answers = operations.flatMap(({ operation }) =>
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
