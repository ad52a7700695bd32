/**
 * `npm run dev`: everything of `npm start`, with a restart of the service whenever a source is saved.
 * PostgreSQL and Temporal keep running.
 */
import { runMain } from '../../src/process/run-main.ts';
import { runAndStop } from '../embedded/run-and-stop.ts';
import { prepareDataFolder } from '../local/data-folder.ts';
import { restartOnSave } from '../local/restart-on-save.ts';
import { startServers } from '../local/start-servers.ts';
import { readStartSettings } from '../local/start-settings.ts';

const print = (line: string) => void process.stdout.write(`${line}\n`);

await runMain(() =>
  runAndStop(async (onStop) => {
    const start = readStartSettings();
    prepareDataFolder(start.dataDir, { isPassedThrough: process.getuid?.() === 0 });
    const servers = await startServers({
      start,
      print,
      onStop,
      onServerExit: (code) => process.exit(code),
    });
    await restartOnSave({ start, servers, print, onStop });
  }),
);
