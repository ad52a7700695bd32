/** The parts of an OpenAPI document from which clients, the command line and the reference are derived. */
export interface ApiDocument {
  tags: Array<{ name: string; description: string }>;
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    schemas: Record<string, DocumentSchema>;
    parameters?: Record<string, Parameter>;
    responses?: Record<string, DocumentedResponse>;
  };
  webhooks: Record<string, { post: DocumentedOperation }>;
}

export interface DocumentedOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: Array<Record<string, unknown>>;
  parameters?: Array<Parameter | Reference>;
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, DocumentedResponse | Reference>;
}

interface DocumentedResponse {
  description: string;
  content?: Record<string, Content>;
}

export interface Content {
  schema: DocumentSchema;
  example?: unknown;
}

interface Reference {
  $ref: string;
}

export interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  description?: string;
  schema: DocumentSchema;
  example?: unknown;
}

/** The part of JSON Schema that the document uses. */
export interface DocumentSchema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, DocumentSchema>;
  required?: string[];
  items?: DocumentSchema;
  anyOf?: DocumentSchema[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  writeOnly?: boolean;
}

export interface ApiOperation {
  id: string;
  method: string;
  path: string;
  query: string[];
  /** The media type of the body, JSON if there is a choice; null without a body. */
  body: string | null;
  takesIdempotencyKey: boolean;
}

const JSON_TYPE = 'application/json';

export function operationsOf(document: ApiDocument): ApiOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => toOperation(document, path, method, operation)),
  );
}

function toOperation(
  document: ApiDocument,
  path: string,
  method: string,
  operation: DocumentedOperation,
): ApiOperation {
  const parameters = parametersOf(document, operation);
  const bodies = Object.keys(operation.requestBody?.content ?? {});
  const body = bodies.find((type) => type === JSON_TYPE) ?? bodies[0] ?? null;
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    query: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
    body,
    takesIdempotencyKey: parameters.some((each) => each.in === 'header' && each.name === 'Idempotency-Key'),
  };
}

export const documentedOperation = (
  document: ApiDocument,
  { path, method }: Pick<ApiOperation, 'path' | 'method'>,
): DocumentedOperation => document.paths[path]?.[method.toLowerCase()] as DocumentedOperation;

export const isForCustomers = ({ security }: DocumentedOperation): boolean =>
  security?.some((each) => 'customerKey' in each) === true;

export const parametersOf = (
  { components }: ApiDocument,
  { parameters = [] }: DocumentedOperation,
): Parameter[] => parameters.map((each) => ('$ref' in each ? find(components.parameters, each.$ref) : each));

const responseOf = (
  { components }: ApiDocument,
  response: DocumentedResponse | Reference,
): DocumentedResponse => ('$ref' in response ? find(components.responses, response.$ref) : response);

/** Content of the successful answer by media type; empty for an answer without a body. */
export function answerOf(document: ApiDocument, { responses }: DocumentedOperation): Record<string, Content> {
  const [, response] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  return (response && responseOf(document, response).content) ?? {};
}

/** The schema without references; a nullable component is the component with null among its types. */
export function resolveSchema({ components }: ApiDocument, schema: DocumentSchema): DocumentSchema {
  const [component, none] = schema.anyOf ?? [];
  const isNullable = none?.type === 'null' && component?.$ref !== undefined;
  const reference = isNullable ? component.$ref : schema.$ref;
  if (reference === undefined) return schema;
  const found: DocumentSchema = find(components.schemas, reference);
  return isNullable ? { ...found, type: [...typesOf(found), 'null'] } : found;
}

export const typesOf = ({ type }: DocumentSchema): string[] => [type ?? []].flat();

function find<T>(named: Record<string, T> | undefined, reference: string): T {
  const found = named?.[reference.split('/').at(-1) as string];
  if (!found) throw new Error(`${reference} is not in the document`);
  return found;
}
