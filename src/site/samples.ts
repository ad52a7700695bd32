/** Calls of an operation as code, with the examples of the OpenAPI document. */
import {
  type ApiDocument,
  type ApiOperation,
  answerOf,
  documentedOperation,
  parametersOf,
} from '../http/api-document.ts';

export interface Sample {
  operation: ApiOperation;
  path: Record<string, string>;
  query: Record<string, string>;
  /** Absent without a body; a body that is no JSON comes from a file. */
  body?: unknown;
  /** The media type of the answer if it is a file. */
  fileType: string | null;
}

/** Placeholders that a script replaces by the address and the key of the reader. */
export const SAMPLE_URL = 'https://loggers.example.com';
const SAMPLE_KEY = '$DMS_KEY';

const JSON_TYPE = 'application/json';
const ID = '019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27';
const VALUES: Record<string, string> = {
  serial: '282C02424EED',
  slug: 'vaccine-fridge',
  from: '2026-03-01T00:00:00Z',
  to: '2026-03-08T00:00:00Z',
};

export function sampleOf(document: ApiDocument, operation: ApiOperation): Sample {
  const documented = documentedOperation(document, operation);
  const [type] = Object.keys(answerOf(document, documented));
  const valuesIn = (place: 'path' | 'query') =>
    Object.fromEntries(
      parametersOf(document, documented)
        .filter((each) => each.in === place && (each.required || isSwitch(each.schema.enum)))
        .map(({ name, schema }) => [name, isSwitch(schema.enum) ? 'true' : (VALUES[name] ?? ID)]),
    );
  const content = operation.body === null ? null : documented.requestBody?.content[operation.body];
  return {
    operation,
    path: valuesIn('path'),
    query: valuesIn('query'),
    ...(content && { body: content.example ?? {} }),
    fileType: type === undefined || type === JSON_TYPE ? null : type,
  };
}

/** A parameter that can only be true chooses one of several ways to name devices. */
const isSwitch = (values: unknown[] | undefined): boolean => values?.length === 1 && values[0] === true;

export function toCurl({ operation, path, query, body, fileType }: Sample): string {
  const { method } = operation;
  const inPath = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => path[name] as string);
  const search = Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : '';
  const isJson = operation.body === JSON_TYPE;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "${SAMPLE_URL}${inPath}${search}"`,
    `-H "Authorization: Bearer ${SAMPLE_KEY}"`,
    ...(operation.body === null ? [] : [`-H 'Content-Type: ${operation.body}'`]),
    ...(operation.body === null
      ? []
      : [isJson ? `-d ${quote(toJson(body))}` : `--data-binary @${fileOf(operation.body)}`]),
    ...(fileType === null ? [] : [`-o ${fileOf(fileType)}`]),
  ];
  return lines.join(' \\\n  ');
}

const FILES: Record<string, string> = {
  'application/pdf': 'certificate.pdf',
  'text/csv': 'loggers.csv',
  'application/x-ndjson': 'measurements.ndjson',
};
const fileOf = (type: string): string => FILES[type] ?? 'file';

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const toJson = (value: unknown): string => JSON.stringify(value, null, 2);

export function toTypeScript({ operation, path, query, body }: Sample): string {
  const values = [...Object.entries(path), ...Object.entries(query)].map(
    ([name, value]) => `${nameInCode(name)}: ${value === 'true' ? value : `'${value}'`}`,
  );
  const given = [...values, ...(body === undefined ? [] : [`body: ${bodyInTypeScript(operation, body)}`])];
  return `await dms.${operation.id}(${given.length === 0 ? '' : `{ ${given.join(', ')} }`})`;
}

const bodyInTypeScript = ({ body }: ApiOperation, example: unknown): string =>
  body === JSON_TYPE ? literal(example) : `await readFile('${fileOf(body ?? '')}')`;

const nameInCode = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`);

/** JSON as a literal of TypeScript, without quotes around names. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&')}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([name, each]) => `${nameInCode(name)}: ${literal(each)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

export function toPython({ operation, path, query, body }: Sample): string {
  const given = [
    ...Object.values(path).map((value) => `"${value}"`),
    ...Object.entries(query).map(
      ([name, value]) => `${pythonName(name)}=${value === 'true' ? 'True' : `"${value}"`}`,
    ),
    ...(body === undefined ? [] : [`body=${bodyInPython(operation, body)}`]),
  ];
  return `dms.${pythonName(operation.id)}(${given.join(', ')})`;
}

const bodyInPython = ({ body }: ApiOperation, example: unknown): string =>
  body === JSON_TYPE ? pythonLiteral(example) : `open("${fileOf(body ?? '')}", "rb").read()`;

function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `"${name}": ${pythonLiteral(each)}`)
    .join(', ')}}`;
}

const PYTHON_KEYWORDS = new Set([
  'from',
  'import',
  'class',
  'in',
  'is',
  'not',
  'global',
  'pass',
  'with',
  'async',
]);

/** A name in the style of Python; keywords get an underscore, following PEP 8. */
export function pythonName(name: string): string {
  const snaked = name.replaceAll('-', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return PYTHON_KEYWORDS.has(snaked) ? `${snaked}_` : snaked;
}
