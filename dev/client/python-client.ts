/** The generated file of the Python client: a method for each operation. */
import {
  type ApiDocument,
  type DocumentedOperation,
  operationsOf,
  parametersOf,
} from '../../src/http/api-document.ts';
import { pythonName } from '../../src/site/samples.ts';

const NOTICE = '# Generated from openapi.json by `npm run client`.\n';

const HEAD = `"""A method for each operation of the service."""

from typing import Any, Mapping
from urllib.parse import quote


class Operations:
    """Methods that a client inherits; its \`_call\` sends the request."""

    def _call(self, method: str, path: str, query: Mapping[str, Any], **how: Any) -> Any:
        raise NotImplementedError
`;

export function generatePython(document: ApiDocument): string {
  const methods = operationsOf(document).map((operation) => {
    const documented = document.paths[operation.path]?.[
      operation.method.toLowerCase()
    ] as DocumentedOperation;
    return methodOf(operation, documented, parametersOf(document, documented));
  });
  return `${NOTICE}${HEAD}\n${methods.join('\n')}`;
}

function methodOf(
  { id, method, path, body, takesIdempotencyKey }: ReturnType<typeof operationsOf>[number],
  { summary }: DocumentedOperation,
  parameters: ReturnType<typeof parametersOf>,
): string {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const inQuery = parameters.filter((each) => each.in === 'query');
  const given = [
    ...inPath.map((name) => `${pythonName(name)}: str`),
    '*',
    ...inQuery.map(
      ({ name, schema, required }) =>
        `${pythonName(name)}: ${typeOf(schema)}${required ? '' : ' | None = None'}`,
    ),
    ...(body === null ? [] : ['body: Any = None']),
    'headers: Mapping[str, str] | None = None',
  ];
  const url =
    inPath.length === 0
      ? `"${path}"`
      : `f"${path.replace(/\{(\w+)\}/g, (_, name) => `{quote(${pythonName(name)}, safe='')}`)}"`;
  const query = `{${inQuery.map(({ name }) => `"${name}": ${pythonName(name)}`).join(', ')}}`;
  const how = [
    ...(body === null ? [] : ['body=body', `content_type="${body}"`]),
    ...(takesIdempotencyKey ? ['takes_key=True'] : []),
    'headers=headers',
  ];
  return `    def ${pythonName(id)}(
        self,
${given.map((each) => `        ${each},\n`).join('')}    ) -> Any:
        """${summary}."""
        return self._call("${method}", ${url}, ${query}, ${how.join(', ')})
`;
}

const PYTHON_TYPES: Record<string, string> = { integer: 'int', number: 'float', boolean: 'bool' };

const typeOf = (schema: unknown): string => PYTHON_TYPES[(schema as { type?: string }).type ?? ''] ?? 'str';
