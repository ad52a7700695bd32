/** The options of `npm run sim`, its live table, and how the demo waits for outcomes. */
import assert from 'node:assert/strict';
import { DidNotHappen, until } from '../../../dev/demo/observe.ts';
import { createLiveTable } from '../../../dev/simulator/live-table.ts';
import { OptionFault, simOptions } from '../../../dev/simulator/sim-options.ts';

const LOCAL = {
  baseUrl: 'http://127.0.0.1:8080',
  apiKey: 'dms_live_x',
  deviceToken: 'dev_x',
  coapUrl: 'coap://127.0.0.1:5683',
};

describe('The options of the simulator', () => {
  it('reads options from the command line, and missing addresses and keys from local.json', () => {
    const { fleet, minutes, isRegistering } = simOptions(
      ['--devices', '200', '--fault', 'drop,late=0.5', '--minutes', '2', '--ack', 'always'],
      LOCAL,
    );
    assert.equal(fleet.devices, 200);
    assert.equal(fleet.coapUrl, LOCAL.coapUrl);
    assert.deepEqual(fleet.faults, { drop: 0.1, late: 0.5, duplicate: 0, refuse: 0 });
    assert.equal(fleet.factory?.ackIntervalSeconds, null);
    assert.deepEqual([minutes, isRegistering], [2, false]);
  });

  it('takes nothing of local.json where an address is given', () => {
    const { fleet } = simOptions(['--coap-url', 'coap://10.0.0.1:5', '--device-token', 'dev_y'], LOCAL);
    assert.deepEqual(
      [fleet.coapUrl, fleet.deviceToken, fleet.baseUrl],
      ['coap://10.0.0.1:5', 'dev_y', undefined],
    );
    for (const typed of [['--register'], ['--transport', 'http']])
      assert.throws(
        () => simOptions(['--base-url', 'https://elsewhere.example', ...typed], LOCAL),
        /^Error: Give --(api-key|device-token), or start the service/,
      );
  });

  for (const [typed, message] of [
    [['--transport', 'smoke'], /--transport must be one of coap, http/],
    [['--devices', 'many'], /--devices must be a number/],
    [['--fault', 'thunder'], /--fault must be one of drop, late, duplicate, refuse/],
    [['--fault', 'drop=2'], /share from 0 to 1/],
    [['--colour'], /--colour/],
    [['--minutes', '40000'], /--minutes must be up to 35000/],
  ] as const) {
    it(`refuses ${typed.join(' ')}`, () =>
      assert.throws(
        () => simOptions([...typed], LOCAL),
        (error: Error) => error instanceof OptionFault && message.test(error.message),
      ));
  }

  it('requires a running service or explicit addresses', () =>
    assert.throws(() => simOptions([], {}), /npm start/));
});

describe('The live table', () => {
  const stats = {
    devices: 3,
    online: 2,
    mute: 1,
    sent: { con: 4, non: 5 },
    acknowledged: 3,
    lost: 1,
    ackMs: { p50: 1.25, p95: 20 },
    configurations: { applied: 1, refused: 0, waiting: 0 },
    readings: 9,
    errors: { 'no answer': 1 },
  };
  const shown = (isTerminal: boolean) => {
    const texts: string[] = [];
    const table = createLiveTable((text) => texts.push(text), isTerminal);
    table.show(stats);
    table.show(stats);
    return texts;
  };

  it('redraws in place on a terminal, and prints a line elsewhere', () => {
    const [first, second] = shown(true);
    assert.equal(second, `\x1b[7A\x1b[0J${first}`);
    const [line] = shown(false);
    assert.match(
      line as string,
      /^2\/3 online \| 4 CON 5 NON \| 3 acknowledged 1 lost \| p50 1\.3 ms p95 20 ms .*no answer 1\n$/,
    );
  });
});

describe('The demo', () => {
  it('waits for each outcome, and reports one that does not occur', async () => {
    let reads = 0;
    const seen = await until({
      what: 'three',
      withinMs: 5_000,
      read: () => ++reads,
      holds: (count) => count === 2,
    });
    assert.equal(seen, 2);
    await assert.rejects(
      until({
        what: 'snow in July',
        withinMs: 10,
        read: () => 'rain',
        holds: () => false,
        describe: (weather) => weather,
      }),
      (error: Error) =>
        error instanceof DidNotHappen &&
        error.message === 'Within 0 s this did not come: snow in July. Seen last: rain.',
    );
  });
});
