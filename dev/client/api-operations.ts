/** The facts that a client needs about each operation of the OpenAPI document. */
export interface ApiDocument {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    schemas: Record<string, unknown>;
    parameters?: Record<string, Parameter>;
    responses?: Record<string, unknown>;
  };
  webhooks: Record<string, unknown>;
}

export interface DocumentedOperation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Array<Parameter | { $ref: string }>;
  requestBody?: { required?: boolean; content: Record<string, { schema: unknown }> };
  responses: Record<string, { content?: Record<string, { schema: unknown }> }>;
}

interface Parameter {
  in: 'path' | 'query' | 'header';
  name: string;
  required?: boolean;
  schema: unknown;
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
  const body = bodies.find((type) => type === 'application/json') ?? bodies[0] ?? null;
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    query: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
    body,
    takesIdempotencyKey: parameters.some((each) => each.in === 'header' && each.name === 'Idempotency-Key'),
  };
}

export function parametersOf(
  { components }: ApiDocument,
  { parameters = [] }: DocumentedOperation,
): Parameter[] {
  return parameters.map((each) => {
    if (!('$ref' in each)) return each;
    const found = components.parameters?.[each.$ref.split('/').at(-1) as string];
    if (!found) throw new Error(`${each.$ref} is not in the document`);
    return found;
  });
}
