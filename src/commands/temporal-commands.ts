import { readTemporalSettings } from '../process/config.ts';
import { type Command, durationMs, option, print } from './command.ts';

export const temporalCommands: Command[] = [
  {
    words: ['temporal', 'setup'],
    args: '[--retention 72h]',
    summary:
      'create the namespace and the search attributes on the Temporal server; --retention is how long ended runs are kept',
    run: async (input) => {
      // Loaded here, because the Temporal client takes a second to load.
      const { setUpNamespace } = await import('../temporal/set-up-namespace.ts');
      const { toTemporalConnection } = await import('../temporal/connection.ts');
      const retention = option(input, 'retention');
      await setUpNamespace({
        connection: toTemporalConnection(readTemporalSettings()),
        retentionMs: retention === undefined ? null : durationMs(retention, 'retention'),
        print,
      });
      return undefined;
    },
  },
];
