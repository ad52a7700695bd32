/** Commands in the documents, in blocks and in sentences. test/site/walkthroughs.test.ts runs the blocks. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { simOptions } from '../../dev/simulator/sim-options.ts';
import { commands } from '../../src/commands/commands.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));
const LOCAL = { baseUrl: 'http://127.0.0.1', apiKey: 'k', deviceToken: 't', coapUrl: 'coap://127.0.0.1' };
/** A file of the repository that is run with variables, without the name of a shell. */
const PROGRAM = /`(?:[A-Z_]+=(?:"[^"]*"|\S+) )+((?:deploy|tools|\.ci)\/[\w./-]+)/g;
const SCRIPT = /npm run (?:-s )?([\w:]+)(?: -- ([^`\n#&|;]+))?/g;

/** Arguments after `--` are checked if a program of the repository parses them. */
const WORDS: Record<string, (words: string) => void> = {
  dms: (words) => assert.ok(isCommand(words), `there is no command ${words}`),
  sim: (words) => words === '--help' || simOptions(words.split(' '), LOCAL),
};

const isCommand = (typed: string) =>
  typed === 'COMMAND' ||
  typed.startsWith('--') ||
  commands.some(({ words }) => `${typed} `.startsWith(`${words.join(' ')} `));

/** Blocks that a reader pastes into a shell. */
const BLOCK = /^```sh\n([\s\S]*?)^```$/gm;
const QUOTED = /'[^']*'|"(?:\\.|[^"\\])*"/g;

const namedIn = (document: string) => [...readFileSync(join(ROOT, document), 'utf8').matchAll(SCRIPT)];

describe('The commands that documents name', () => {
  for (const document of DOCUMENTS.filter((each) => namedIn(each).length > 0)) {
    it(`finds only existing scripts, commands and options in ${document}`, () => {
      for (const [text, script = '', words] of namedIn(document)) {
        assert.ok(scripts[script], `there is no script for ${text}`);
        if (words) WORDS[script]?.(words.trim());
      }
    });
  }

  it('are words that zsh, whose prompt knows no comments, takes as every shell does', () => {
    const blocks = DOCUMENTS.flatMap((document) =>
      [...readFileSync(join(ROOT, document), 'utf8').matchAll(BLOCK)].map(([, commands = '']) => ({
        document,
        lines: commands.replace(QUOTED, 'quoted').split('\n'),
      })),
    );
    assert.ok(blocks.length > 0);
    assert.deepEqual(
      blocks.flatMap(({ document, lines }) =>
        lines.filter((line) => /(^|\s)#/.test(line)).map((line) => `${document}: ${line}`),
      ),
      [],
    );
  });

  it('runs only files that are executable', () => {
    const programs = DOCUMENTS.flatMap((document) =>
      [...readFileSync(join(ROOT, document), 'utf8').matchAll(PROGRAM)].map(([, path = '']) => path),
    );
    assert.ok(programs.length > 0);
    assert.deepEqual(
      programs.filter((path) => (statSync(join(ROOT, path)).mode & 0o100) === 0),
      [],
    );
  });
});
