/** Shared by the tests of commands by API: a service, the environment of its user, and commands in this process. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../support/command-line.ts';
import { register } from '../support/fleet.ts';
import { useService } from '../support/service.ts';

const NAMES = ['DMS_URL', 'DMS_KEY', 'XDG_CONFIG_HOME', 'DATA_DIR', 'SMTP_URL', 'COAP_PORT'] as const;

/** Registers the hooks of a suite. */
export function useCommands() {
  const dms = useService({ settings: { jobPollIntervalMs: 1_000 } });
  let key: string;
  let folder: string;
  const environment = Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));

  before(async () => {
    key = (await dms.issueKey(dms.id, 'customer')).token;
    folder = mkdtempSync(join(tmpdir(), 'dms-commands-'));
  });
  beforeEach(() => setEnv({ DMS_URL: dms.baseUrl, DMS_KEY: key, XDG_CONFIG_HOME: folder, DATA_DIR: folder }));
  after(() => {
    setEnv(environment);
    rmSync(folder, { recursive: true });
  });

  function setEnv(values: Partial<Record<string, string | undefined>>): void {
    for (const name of NAMES) {
      if (values[name] === undefined) delete process.env[name];
      else process.env[name] = values[name];
    }
  }

  async function registerOne(): Promise<string> {
    const serial = `282C${randomUUID().slice(0, 8).toUpperCase()}`;
    await register(dms, serial);
    return serial;
  }

  const run = (...typed: string[]) => runCommand(dms.settings.databaseUrl, ...typed);
  return {
    dms,
    /** For `before`: the key of the user of the service, and a folder of theirs. */
    started: () => ({ key, folder }),
    setEnv,
    registerOne,
    run,
    jsonOf: async (...typed: string[]) => JSON.parse((await run(...typed, '--json')).stdout),
  };
}
