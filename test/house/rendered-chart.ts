/** The Helm chart as `helm template` renders it, and the schemas by which Kubernetes checks manifests. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { load, loadAll } from 'js-yaml';
import { TEST_PROGRAMS } from '../../dev/release/test-programs.ts';
import { ROOT } from '../../dev/source/imports.ts';
import { findTestProgram } from '../runner/programs.ts';

/** `npm run test:programs` unpacks them, a folder for each version of Kubernetes. */
const SCHEMAS = join(TEST_PROGRAMS, 'kubernetes-schemas');
/** The definitions of the Prometheus Operator, which have the schemas of monitors and rules. */
const OPERATOR = join(TEST_PROGRAMS, 'prometheus-operator');

// biome-ignore lint/suspicious/noExplicitAny: manifests have every shape; the schemas check them
export type Manifest = any;

/** Null where Helm is not installed. */
export const findHelm = (): string | null => findTestProgram('helm');

/** @throws with the text of Helm when it refuses the values. */
export async function renderChart(options: string[]): Promise<Manifest[]> {
  const arguments_ = ['template', 'dms', join(ROOT, 'deploy/chart'), ...options];
  const { stdout } = await promisify(execFile)(findHelm() ?? 'helm', arguments_);
  return loadAll(stdout).filter((manifest) => manifest !== null && manifest !== undefined);
}

export const schemaVersions = (): string[] => (existsSync(SCHEMAS) ? readdirSync(SCHEMAS) : []);

/** Answers with what is wrong with a manifest; unknown fields are wrong, too. */
export function createManifestCheck(version: string): (manifest: Manifest) => string[] {
  const read = (name: string) => JSON.parse(readFileSync(join(SCHEMAS, version, `${name}.json`), 'utf8'));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(read('_definitions'), 'https://kubernetes.io/api/_definitions.json');
  const checks = new Map<string, ValidateFunction>();
  return (manifest) => {
    const name = schemaName(manifest);
    const check = checks.get(name) ?? ajv.compile(read(name));
    checks.set(name, check);
    return check(manifest)
      ? []
      : (check.errors ?? []).map(({ instancePath, message }) => `${name} ${instancePath} ${message}`);
  };
}

export const hasOperatorSchemas = (): boolean => existsSync(OPERATOR);

/** Answers with what is wrong with a monitor or a rule; unknown fields, which Kubernetes would drop, are wrong, too. */
export function checkByOperator(manifest: Manifest): string[] {
  const file = `monitoring.coreos.com_${manifest.kind.toLowerCase()}s.yaml`;
  const definition: Manifest = load(readFileSync(join(OPERATOR, file), 'utf8'));
  const { schema } = definition.spec.versions.find(
    ({ name }: Manifest) => manifest.apiVersion === `${definition.spec.group}/${name}`,
  );
  const check = new Ajv2020({ strict: false, validateFormats: false, code: { regExp: goRegExp } }).compile(
    withoutUnknownFields(schema.openAPIV3Schema),
  );
  return check(manifest)
    ? []
    : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Go has the flags of an expression within it. */
const goRegExp = Object.assign(
  (pattern: string, flags: string) =>
    new RegExp(pattern.replace('(?i)', ''), pattern.includes('(?i)') ? `${flags}i` : flags),
  { code: 'goRegExp' },
);

function withoutUnknownFields(schema: Manifest): Manifest {
  if (Array.isArray(schema)) return schema.map(withoutUnknownFields);
  if (schema === null || typeof schema !== 'object') return schema;
  const within = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withoutUnknownFields(value)]),
  );
  return schema.type === 'object' && schema.properties ? { ...within, additionalProperties: false } : within;
}

/** `apps/v1` and `Deployment` have the schema `deployment-apps-v1`. */
function schemaName({ apiVersion, kind }: Manifest): string {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return [kind.toLowerCase(), group.split('.')[0], version].filter((part) => part !== '').join('-');
}
