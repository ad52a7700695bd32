/** A fleet over real sockets, against a stub of the gateway. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDevice } from '../../../dev/simulator/device-state.ts';
import { type FaultShares, NO_FAULTS } from '../../../dev/simulator/faults.ts';
import { createFleet, type Fleet, type FleetOptions, serialsOf } from '../../../dev/simulator/fleet.ts';
import { createFleetCounter } from '../../../dev/simulator/fleet-stats.ts';
import { createSimulatedDevice } from '../../../dev/simulator/simulated-device.ts';
import { type DeviceConfiguration, includes } from '../../../src/devices/configuration.ts';
import { DAY_MS } from '../../../src/process/durations.ts';
import { eventually } from '../../support/fleet.ts';
import { timerWarnings } from '../../support/timer-warnings.ts';
import { FACTORY, START_MS, TRAITS } from './device-model.ts';
import { type StubGateway, startStubGateway } from './stub-gateway.ts';

const CHANGE: DeviceConfiguration = { measurementPeriodBase: 61, transmissionInterval: 121 };
/** A sample and a confirmable frame every second. */
const QUICK = { measurementSeconds: 60, transmissionSeconds: 120, ackIntervalSeconds: null };
const TOKEN = 'dev_of_a_test';

const until = (holds: () => boolean) => eventually(async () => holds(), Boolean);

describe('A fleet', () => {
  let gateway: StubGateway;
  let fleet: Fleet | null;

  beforeEach(async () => {
    fleet = null;
    gateway = await startStubGateway((report) => includes(report.config, CHANGE));
  });
  afterEach(async () => {
    await fleet?.stop();
    await gateway.stop();
  });

  async function start(faults: FaultShares, more: Partial<FleetOptions> = {}): Promise<Fleet> {
    fleet = createFleet({
      devices: 12,
      transport: 'coap',
      coapUrl: gateway.coapUrl,
      deviceToken: TOKEN,
      speed: 120,
      factory: QUICK,
      faults,
      ackTimeoutMs: 60,
      seed: 7,
      ...more,
    });
    await fleet.start();
    return fleet;
  }

  it('sends nothing and leaves no socket open when it is stopped during its start', async () => {
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'UDPWRAP').length;
    const before = sockets();
    const starting = start(NO_FAULTS);
    await fleet?.stop();
    const { devices } = (await starting).stats();
    await sleep(100);
    assert.deepEqual([devices, (await starting).stats().online, sockets()], [12, 0, before]);
  });

  it('transmits, applies and confirms a change, while mute devices send nothing', async () => {
    // No message is given up as lost, however late its answer comes.
    const running = await start(NO_FAULTS, { mute: 2, ackTimeoutMs: 10_000 });
    assert.equal(running.serials.length, 10);
    await until(() => running.stats().online === 10);
    gateway.offer(CHANGE);
    await until(
      () => running.stats().configurations.applied === 10 && running.stats().configurations.waiting === 0,
    );
    for (const serial of running.serials) {
      const seen = gateway.device(serial);
      assert.ok(seen.report && includes(seen.report.config, CHANGE));
      assert.equal(seen.softwareVersion, '06.10');
      assert.equal(seen.token, TOKEN);
      assert.ok(seen.readings.size >= 2);
    }
    for (const serial of running.muteSerials) assert.equal(gateway.device(serial).handled, 0);
    const stats = running.stats();
    assert.deepEqual([stats.devices, stats.mute, stats.lost, stats.errors], [12, 2, 0, {}]);
    assert.ok(stats.ackMs.p50 !== null && stats.ackMs.p95 !== null && stats.ackMs.p50 <= stats.ackMs.p95);
    assert.ok(stats.readings >= 20);
  });

  it('delivers every sample and applies its change on a bad link, and refusing devices report errors', async () => {
    const running = await start({ drop: 0.15, duplicate: 0.2, late: 0.05, refuse: 0.3 });
    gateway.offer(CHANGE);
    await until(() =>
      running.serials.every((serial) => {
        const { report } = gateway.device(serial);
        return report && (includes(report.config, CHANGE) || report.configurationErrors.length > 0);
      }),
    );
    const refusing = running.serials.filter((serial) => running.device(serial)?.traits.refuses);
    assert.ok(refusing.length > 0 && refusing.length < 12, 'some refuse, some do not');
    for (const serial of running.serials) {
      const { report, readings } = gateway.device(serial);
      assert.equal(refusing.includes(serial), (report?.configurationErrors.length ?? 0) > 0);
      const { samples } = running.device(serial)?.state().memory ?? { samples: [] };
      const state = running.device(serial)?.state();
      const measured = samples.at(-1)?.number ?? state?.memory.sentThrough ?? 0;
      const acknowledged = measured - samples.length;
      const arrived = [...readings].filter((each) => each.startsWith('1@')).length;
      assert.ok(arrived >= acknowledged, `${serial}: ${arrived} of ${acknowledged} arrived`);
    }
    assert.ok(running.stats().acknowledged > 12);
  });

  it('sends nothing after it was stopped', async () => {
    const running = await start(NO_FAULTS);
    await until(() => running.stats().online === 12);
    await running.stop();
    const before = running.stats();
    await sleep(1_200);
    assert.deepEqual(running.stats(), before);
  });

  it('takes an interval that is longer than timers can be', async () => {
    const send = async () => null;
    const device = createSimulatedDevice({
      traits: TRAITS,
      place: { climate: 'fridge', seed: 1 },
      state: newDevice(FACTORY, START_MS + 30 * DAY_MS),
      uplink: { answersAll: false, measurements: send, report: send, info: send },
      counter: createFleetCounter(),
      nowMs: () => START_MS,
      startSeconds: 0,
      reportAfterMs: 0,
    });
    const warnings = await timerWarnings(device.start);
    device.stop();
    assert.deepEqual(warnings, []);
  });

  it('uses serial numbers of six bytes that begin with the prefix', () => {
    assert.deepEqual(serialsOf('282c', 2), ['282C00000000', '282C00000001']);
    assert.throws(() => serialsOf('282C000000A', 17));
    assert.throws(() => serialsOf('282X', 1));
  });
});
