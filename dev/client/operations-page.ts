/** The generated page of all operations: a row for each, as both clients and the command line call it. */
import { commands } from '../../src/commands/commands.ts';
import {
  type ApiDocument,
  type ApiOperation,
  documentedOperation,
  isForCustomers,
  operationsOf,
} from '../../src/http/api-document.ts';
import { sampleOf, toPython, toTypeScript } from '../../src/site/samples.ts';
import { commandExample } from './command-example.ts';

const HEAD = `<!-- Generated from openapi.json by \`npm run client\`. -->
# Table of operations

Each operation of the API as the clients for [TypeScript](../client/README.md) and [Python](../client/python/README.md) and
the [command line](command-line.md) call it, with an example. The [API reference](../openapi.json) has their fields and
answers.
`;

export function generateOperationsPage(document: ApiDocument): string {
  const operations = operationsOf(document);
  const sections = document.tags.flatMap(({ name }) => {
    const tagged = operations.filter((each) => documentedOperation(document, each).tags.includes(name));
    return tagged.length === 0
      ? []
      : [`\n## ${name}\n\n${tagged.map((each) => partOf(document, each)).join('\n')}`];
  });
  return `${HEAD}${sections.join('')}`;
}

function partOf(document: ApiDocument, operation: ApiOperation): string {
  const documented = documentedOperation(document, operation);
  const sample = sampleOf(document, operation);
  const lines = [
    `| ${documented.summary} | \`${operation.method} ${operation.path}\` |`,
    '|---|---|',
    `| TypeScript | ${code(toTypeScript(sample))} |`,
    `| Python | ${code(toPython(sample))} |`,
    ...(isForCustomers(documented)
      ? [`| Command line | ${code(commandExample(document, sample, commands))} |`]
      : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** A bar would end the cell. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
