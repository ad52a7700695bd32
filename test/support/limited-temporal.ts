/** A Temporal dev server with limits chosen by a test. */
import { freePort } from '../../dev/embedded/free-port.ts';
import { supervise } from '../../dev/embedded/supervise.ts';
import { serves } from '../../dev/embedded/temporal-dev-server-client.ts';
import { untilServing } from '../../dev/embedded/until-serving.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/workflow-ids.ts';
import { PATIENCE_MS } from './patience.ts';

export async function startLimitedTemporal(cli: string, limits: Record<string, number>) {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const server = supervise({
    command: cli,
    args: [
      ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)],
      ['--log-level', 'error'],
      Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
      Object.entries(limits).flatMap(([name, value]) => ['--dynamic-config-value', `${name}=${value}`]),
    ].flat(),
    env: {},
    stopSignal: 'SIGINT',
    log: () => {},
  });
  await untilServing(server, { name: 'Temporal', timeoutMs: PATIENCE_MS, probe: () => serves(address) });
  return { address, stop: server.stop };
}
