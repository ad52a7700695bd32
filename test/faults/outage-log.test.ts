/** The log during an outage: a line a minute, not one for each request, frame and sweep. */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../src/process/durations.ts';
import { createLog, type Log } from '../../src/process/log.ts';
import { summarizeOutages } from '../../src/process/outage-log.ts';
import { apply, createProfile, eventually, FRIDGE, registerMany } from '../support/fleet.ts';
import { openLogger } from '../support/logger.ts';
import { replaceWaits } from '../support/replace-waits.ts';
import { newDatabase, servers } from '../support/servers.ts';
import { useService } from '../support/service.ts';
import { useTcpProxy } from '../support/tcp-proxy.ts';

interface Line {
  level: number;
  msg: string;
  dependency?: string;
  failures?: number;
  reason?: string;
}

const WARNING = 40;

function recordLog(level = 'warn'): { log: Log; lines: Line[] } {
  const lines: Line[] = [];
  return { log: createLog(level, { write: (line) => void lines.push(JSON.parse(line)) }), lines };
}

describe('The log during an outage', () => {
  const database = useTcpProxy(newDatabase);
  const temporal = useTcpProxy(async () => `tcp://${(await servers()).temporalAddress}`);
  const { log, lines } = recordLog('debug');
  const dms = useService(() => ({
    databaseUrl: database.url,
    settings: { temporalAddress: `127.0.0.1:${temporal.port}` },
    log,
  }));

  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  it('writes one line for PostgreSQL and one for Temporal, however many failures they cause', async () => {
    // The minute does not end before the test, however slow the machine is.
    replaceWaits(MINUTE_MS, HOUR_MS);
    const serials = await registerMany(dms, 4, '28BC000000');
    const { token } = await dms.issueKey(dms.id, 'device');
    const logger = await openLogger({ serial: serials[0] as string, coapPort: dms.coapPort, token });
    const slug = await createProfile(dms, FRIDGE);
    await temporal.stop();
    // Its run cannot be started.
    await apply(dms, slug, { serialNumbers: serials });
    await eventually(
      async () => lines.map(({ dependency }) => dependency),
      (dependencies) => dependencies.includes('Temporal'),
    );
    await database.stop();
    const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt: new Date().toISOString() }];
    const sent = serials.map((serial) => dms.device.post(`/devices/${serial}/measurements`, { readings }));
    await Promise.all([...sent, dms.api.get('/assets'), logger.measure({ confirmable: false })]);
    // Meanwhile sweeps and dispatcher fail as well.
    for (const failure of [/lease of the sweeps was not renewed/, /outbox was not polled/])
      await eventually(
        async () => lines.some(({ msg }) => failure.test(msg)),
        (isLogged) => isLogged,
      );
    await logger.close();
    const warnings = lines.filter(({ level }) => level >= WARNING);
    assert.deepEqual(warnings.map(({ dependency = '', msg }) => dependency || msg).sort(), [
      'PostgreSQL',
      'Temporal',
    ]);
    // A connection that was being opened when the server went away may also time out.
    for (const { reason } of warnings)
      assert.match(String(reason), /refused|connect|ECONNRESET|timeout expired/i);
  });

  it('counts in the line of each minute the failures since the last one, and logs other faults unchanged', () => {
    const recorded = recordLog();
    const findOutage = (error: unknown) =>
      error instanceof RangeError ? { dependency: 'PostgreSQL', reason: 'gone' } : null;
    mock.timers.enable({ apis: ['setTimeout'] });
    const summarized = summarizeOutages(recorded.log, { findOutage });
    for (let failure = 0; failure < 5; failure++)
      summarized.error({ err: new RangeError() }, 'request failed');
    summarized.child({ requestId: '1' }).warn({ err: new RangeError() }, 'swept');
    summarized.error({ err: new TypeError('a defect') }, 'request failed');
    mock.timers.tick(MINUTE_MS);
    assert.deepEqual(
      recorded.lines.map(({ msg, failures }) => failures ?? msg),
      [1, 'request failed', 5],
    );
    mock.timers.tick(MINUTE_MS);
    assert.equal(recorded.lines.length, 3, 'nothing more once it is over');
  });
});
