/** An example of the command for an operation, as it is typed in a shell. */
import type { OperationId } from '../../client/src/index.ts';
import type { Command } from '../../src/commands/command.ts';
import { type CommandField, fieldsOf, positionalsIn } from '../../src/commands/operation-fields.ts';
import { OPERATION_LAYOUTS, operationsIn } from '../../src/commands/operation-layout.ts';
import { valueAt } from '../../src/commands/show-value.ts';
import type { ApiDocument } from '../../src/http/api-document.ts';
import type { Sample } from '../../src/site/samples.ts';

/** Of whole fields, not of parts such as the times of quiet hours. */
const VALUES: Record<string, string> = {
  assetId: '282C02424EED',
  groupId: 'Vaccine fridges',
  from: '7d',
  to: 'now',
  since: '24h',
  until: '2h',
  deadlineAt: '3d',
};

/** Arguments of commands that are not derived. */
const ARGS: Record<string, string> = {
  SERIAL: '282C02424EED',
  FILE: 'loggers.csv',
  ID: '019cb0a5-7c10-7b52-8f0e-3d5a9e1b6c27',
};

export function commandExample(document: ApiDocument, sample: Sample, commands: Command[]): string {
  const { operation } = sample;
  const id = operation.id as OperationId;
  const [words, layout] =
    Object.entries(OPERATION_LAYOUTS).find(([, each]) => operationsIn(each).includes(id)) ?? [];
  if (!words) {
    const command = commands.find(({ operations = [] }) => operations.includes(id)) as Command;
    return ['dms', ...command.words, ...command.args.split(' ').map((name) => ARGS[name] ?? '')]
      .join(' ')
      .trim();
  }
  const fields = fieldsOf(document, operation).filter(
    ({ path: [name = ''] }) => !(name in (layout?.body ?? {})),
  );
  const positionals = positionalsIn(fields);
  const options = fields.filter((field) => !positionals.includes(field));
  const isUpload = operation.body !== null && operation.body !== 'application/json';
  return [
    'dms',
    words,
    ...positionals.map((field) => quoted(textOf(sample, field) ?? '')),
    ...(isUpload ? ['certificate.pdf'] : []),
    ...options.flatMap((field) => optionText(sample, field)),
    ...(sample.fileType === 'application/pdf' ? ['--output certificate.pdf'] : []),
  ].join(' ');
}

function optionText(sample: Sample, field: CommandField): string[] {
  const text = textOf(sample, field);
  if (text === null || (field.choices[0] === 'null' && text !== 'null')) return [];
  if (field.kind === 'flag' || field.kind === 'secret') return [`--${field.name}`];
  return [`--${field.name} ${quoted(text)}`];
}

/** The value of the example as it is typed; null where the example has none. */
function textOf(sample: Sample, { place, path, kind }: CommandField): string | null {
  const value = valueAt(sample[place], path.join('.'));
  if (value === undefined) return null;
  const typed = path.length === 1 ? VALUES[path[0] as string] : undefined;
  if (typed !== undefined) return typed;
  return kind === 'json' ? JSON.stringify(value) : Array.isArray(value) ? value.join(',') : String(value);
}

const quoted = (text: string): string =>
  /^[\w.,:/@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
