/** `npm run dms -- …`: what operators do by command line. */
import { parseArgs } from 'node:util';
import { UsageError, usage } from './commands/command.ts';
import { commands } from './commands/commands.ts';
import { orExplain } from './main.ts';

await orExplain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    strict: false,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  const command = commands.find(({ words }) => words.every((word, index) => positionals[index] === word));
  if (!command || values.help) {
    process.stdout.write(usage(commands));
    process.exitCode = command || values.help || positionals.length === 0 ? 0 : 2;
    return;
  }
  try {
    await command.run({ positionals: positionals.slice(command.words.length), options: values });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
});
