/** The generated files of the TypeScript client: types, and a table of operations. */
import openapiTS, { astToString } from 'openapi-typescript';
import { type ApiDocument, operationsOf } from '../../src/http/api-document.ts';

const NOTICE = '// Generated from openapi.json by `npm run client`.\n';

export async function generateTypes(document: ApiDocument): Promise<string> {
  const ast = await openapiTS(structuredClone(withoutErrors(document)) as never, { silent: true });
  return `${NOTICE}${astToString(ast)}`;
}

export function generateOperations(document: ApiDocument): string {
  const rows = operationsOf(document).map(({ id, ...operation }) => `  ${id}: ${JSON.stringify(operation)},`);
  return `${NOTICE}export const OPERATIONS = {\n${rows.join('\n')}\n} as const;\n`;
}

/** Leaves out types of errors, because every failure is an `ApiError`. */
function withoutErrors(document: ApiDocument): ApiDocument {
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [
        method,
        { ...operation, responses: successes(operation.responses) },
      ]),
    ),
  ]);
  const { responses: _, ...components } = document.components;
  return { ...document, paths: Object.fromEntries(paths), components };
}

const successes = (responses: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith('2')));
