/** Checks everything that the service needs, and prints remedies. */
import { findLogin } from './api.ts';
import { type Command, type CommandInput, UsageError } from './command.ts';
import { apiChecks, type Check, type Finding, machineChecks } from './doctor-checks.ts';
import { hasDatabase } from './with-database.ts';

const MARKS = { good: '✔', warning: '!', bad: '✘' };

export const doctorCommand: Command = {
  words: ['doctor'],
  args: '',
  summary:
    'check the API, key, clocks, time zones, PostgreSQL, Temporal, ports, mail server and disk, and say what to do',
  details: `Beside the service (DATABASE_URL, or the folder of npm start) it looks at what the service needs, too.
Exit code 1: something is bad.`,
  isRemote: true,
  run: async (input) => {
    const checks = [...remoteChecks(input), ...(hasDatabase() ? machineChecks() : [])];
    const found: Array<Finding & { name: string }> = [];
    for (const check of checks) found.push({ name: check.name, ...(await lookAt(check)) });
    if (found.some(({ state }) => state === 'bad')) process.exitCode = 1;
    const lines = found.map(
      ({ name, state, detail, todo }) => `${MARKS[state]} ${name}: ${detail}${todo ? `\n    ${todo}` : ''}`,
    );
    return { text: lines.join('\n'), value: found };
  },
};

/** A check that fails to run is a finding, too. */
const lookAt = ({ look }: Check): Promise<Finding> =>
  look().catch((error: Error) => ({
    state: 'bad',
    detail: reasonOf(error),
    todo: 'see that it runs and can be reached from here',
  }));

const reasonOf = (error: Error): string =>
  (error.cause instanceof Error ? error.cause.message : error.message) || String(error);

function remoteChecks(input: CommandInput): Check[] {
  try {
    return apiChecks(findLogin(input));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const todo = 'dms login URL, to check it from here';
    return [{ name: 'API', look: async () => ({ state: 'warning', detail: 'no login', todo }) }];
  }
}
