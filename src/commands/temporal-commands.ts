import { readTemporalSettings } from '../process/config.ts';
import { type Command, durationMs, option, print } from './command.ts';

const RETENTION_DEFAULT = '72h';

export const temporalCommands: Command[] = [
  {
    words: ['temporal', 'setup'],
    args: '[--retention 72h]',
    summary: 'create the namespace and the search attributes on the Temporal server',
    run: async (input) => {
      // Loaded here, because the Temporal client takes a second to load.
      const { setUpNamespace } = await import('../temporal/set-up-namespace.ts');
      const { toTemporalConnection } = await import('../temporal/connection.ts');
      await setUpNamespace({
        connection: toTemporalConnection(readTemporalSettings()),
        retentionMs: durationMs(option(input, 'retention') ?? RETENTION_DEFAULT, 'retention'),
        print,
      });
      return undefined;
    },
  },
];
