/** The command line can what the API can: each operation of customers has a command, or is named with the reason. */
import assert from 'node:assert/strict';
import { readApiDocument } from '../../src/commands/api-document-file.ts';
import { commands } from '../../src/commands/commands.ts';
import { OPERATION_LAYOUTS, operationsIn } from '../../src/commands/operation-layout.ts';
import {
  answerOf,
  type DocumentSchema,
  documentedOperation,
  isForCustomers,
  operationsOf,
  resolveSchema,
} from '../../src/http/api-document.ts';

const NO_COMMAND: Record<string, string> = {};

const document = readApiDocument();
const operations = operationsOf(document);
const idsForCustomers = operations
  .filter((each) => isForCustomers(documentedOperation(document, each)))
  .map(({ id }) => id);

describe('The commands by API', () => {
  it('call every operation of customers, but those that are listed with a reason', () => {
    const called = new Set<string>(commands.flatMap((each) => each.operations ?? []));
    const lost = idsForCustomers.filter((id) => !called.has(id));
    assert.deepEqual(lost, Object.keys(NO_COMMAND));
  });

  it('have one command for each two words', () => {
    const words = commands.map((each) => each.words.join(' '));
    assert.deepEqual(words, [...new Set(words)]);
  });

  it('show columns that the items of their list have', () => {
    for (const [words, layout] of Object.entries(OPERATION_LAYOUTS)) {
      const [id] = operationsIn(layout);
      const operation = operations.find((each) => each.id === id);
      assert.ok(operation, words);
      const answer = answerOf(document, documentedOperation(document, operation))['application/json'];
      const unknown = (layout.columns ?? []).filter(
        (path) => !hasField(itemOf(answer?.schema), path.split('.')),
      );
      assert.deepEqual(unknown, [], words);
    }
  });
});

/** The schema of the items of a list. */
function itemOf(schema: DocumentSchema = {}): DocumentSchema {
  const lists = Object.values(resolveSchema(document, schema).properties ?? {}).filter(({ items }) => items);
  return lists[0]?.items ?? {};
}

/** Items of several kinds have a field if one of the kinds has it. */
function hasField(schema: DocumentSchema, [name = '', ...rest]: string[]): boolean {
  const resolved = resolveSchema(document, schema);
  if (resolved.anyOf) return resolved.anyOf.some((each) => hasField(each, [name, ...rest]));
  const found = resolved.properties?.[name];
  return found !== undefined && (rest.length === 0 || hasField(found, rest));
}
