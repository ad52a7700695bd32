/** Bounds of the operator's log against strangers. */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { createRefusalLog } from '../../src/gateway/refusal-log.ts';
import { createLimitedLog } from '../../src/process/limited-log.ts';
import { createLog } from '../../src/process/log.ts';
import { coapRequest } from '../support/coap-datagram.ts';
import { openCoapEndpoint } from '../support/coap-endpoint.ts';
import { bytes, encoded } from '../support/protobuf.ts';
import { useGateway } from './harness.ts';

const WINDOW_MS = 60_000;

const windowIsOver = () => mock.timers.tick(WINDOW_MS);

describe('A limited log', () => {
  let lines: string[];
  const createLines = (linesMax: number) =>
    createLimitedLog<[string]>({
      write: (line) => void lines.push(line),
      writeLeftOut: (count) => void lines.push(`${count} left out`),
      linesMax,
      windowMs: WINDOW_MS,
    });

  beforeEach(() => {
    lines = [];
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => mock.timers.reset());

  it('writes a limited number of lines per window, and counts the others at its end', () => {
    const write = createLines(2);
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((line) => write(line)),
      [true, true, false, false],
    );
    assert.deepEqual(lines, ['a', 'b']);
    windowIsOver();
    assert.deepEqual(lines.slice(2), ['2 left out']);
  });

  it('begins a new window with the first line after the end of one', () => {
    const write = createLines(1);
    write('a');
    windowIsOver();
    write('b');
    write('c');
    windowIsOver();
    assert.deepEqual(lines, ['a', 'b', '1 left out']);
  });
});

describe('The log of refused devices', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const refusal = (serialNumber: string) => ({
    reason: 'wrong_token' as const,
    serialNumber,
    address: '192.0.2.1',
  });

  it('names a device once for each reason, however often it is refused', () => {
    const lines: object[] = [];
    const record = createRefusalLog({ warn: (fields) => void lines.push(fields) });
    for (let time = 0; time < 3; time++) record(refusal('282C02000001'));
    record({ ...refusal('282C02000001'), reason: 'missing_token' });
    assert.deepEqual(lines, [
      refusal('282C02000001'),
      { ...refusal('282C02000001'), reason: 'missing_token' },
    ]);
  });

  it('names at most 20 devices a minute, and then the number of omitted refusals', () => {
    const lines: Array<{ fields: object; message: string }> = [];
    const warn = (fields: object, message: string) => void lines.push({ fields, message });
    const record = createRefusalLog({ warn });
    for (let device = 0; device < 3_000; device++) record(refusal(String(device)));
    assert.equal(lines.length, 20);
    windowIsOver();
    assert.deepEqual(lines.slice(20), [{ fields: { leftOut: 2_980 }, message: 'further devices refused' }]);
  });

  it('names a device later that it omitted before', () => {
    const lines: object[] = [];
    const record = createRefusalLog({ warn: (fields) => void lines.push(fields) });
    for (let device = 0; device <= 20; device++) record(refusal(String(device)));
    windowIsOver();
    record(refusal('20'));
    assert.deepEqual(lines.at(-1), refusal('20'));
  });
});

describe('A stranger who makes up serial numbers', () => {
  const lines: string[] = [];
  const gateway = useGateway(() => ({
    log: createLog('info', { write: (line) => void lines.push(line) }),
  }));

  it('writes at most 20 lines a minute to the log', async () => {
    const stranger = await openCoapEndpoint(gateway.dms.coapPort);
    for (let id = 0; id < 40; id++) {
      const payload = encoded([bytes(1, Buffer.from(id.toString(16).padStart(12, '0'), 'hex'))]);
      await stranger.exchange(coapRequest({ path: 'm', payload, type: 0, code: 2, id, options: [] }));
    }
    await stranger.close();
    const refused = lines.filter((line) => line.includes('device refused'));
    assert.equal(refused.length, 20);
  });
});
