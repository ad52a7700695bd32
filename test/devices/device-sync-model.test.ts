/**
 * Section 5 of the contract for one device: random scenarios, compared with the reference model.
 * SYNC_SCENARIOS sets their number.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CONTRADICTIONS_MAX, type DeviceReport, receiveReport } from '../../src/devices/config-report.ts';
import { type ConfigurationKey, keysOf } from '../../src/devices/configuration.ts';
import {
  type DeviceSync,
  fetch,
  merge,
  NEW_DEVICE,
  offered,
  replaceHardware,
  syncStatus,
  unconfirmedKeys,
  withdraw,
} from '../../src/devices/device-sync.ts';
import { ERROR_MESSAGE, type ModelReport, ReferenceDevice } from '../sync/reference/device.ts';
import { scenarios, type TimedEvent, toModelReport } from './arbitraries.ts';
import { type SymbolicConfig, toConfiguration, toSymbols } from './config-symbols.ts';
import { START_MS } from './fixtures.ts';

type SymbolicReport = ModelReport & { config: SymbolicConfig };

const toDeviceReport = (
  { config, receivedMs, madeMs, errors }: SymbolicReport,
  variant: number,
): DeviceReport => ({
  config: toConfiguration(config, variant),
  hash: null,
  receivedAt: new Date(receivedMs),
  madeAt: new Date(madeMs),
  errors: errors && {
    items: [{ id: errors.code, message: ERROR_MESSAGE }],
    at: errors.atMs === null ? null : new Date(errors.atMs),
    slackMs: errors.slackMs,
  },
});

/** Plays events on both the reference model and the code, and compares the two after each. */
class Scenario {
  readonly model = new ReferenceDevice();
  sync: DeviceSync = NEW_DEVICE;
  private nowMs = START_MS;
  private lastReport: { report: SymbolicReport; variant: number } | null = null;

  play({ afterSeconds, event }: TimedEvent) {
    this.nowMs += afterSeconds * 1_000;
    const before = this.sync;
    if (event.kind === 'merge') this.merge(event.change);
    else if (event.kind === 'withdraw') this.withdraw(event.keys);
    else if (event.kind === 'replace hardware') this.replaceHardware();
    else if (event.kind === 'fetch') this.fetch();
    else if (event.kind === 'repeat report') this.repeatReport();
    else this.report(toModelReport(event.draw, this.model, this.nowMs), event.variant);
    this.compare();
    this.checkRevision(before);
  }

  private merge(change: SymbolicConfig) {
    const { revision } = this.sync;
    this.sync = merge(this.sync, toConfiguration(change, 0));
    this.model.merge(change);
    assert.equal(this.sync.revision > revision, true, 'a merge gives a new revision');
  }

  private withdraw(keys: ConfigurationKey[]) {
    this.sync = withdraw(this.sync, keys);
    this.model.withdraw(keys);
  }

  private replaceHardware() {
    this.sync = replaceHardware(this.sync);
    this.model.replaceHardware();
  }

  private fetch() {
    const offer = offered(this.sync);
    assert.deepEqual(toSymbols(offer?.config), this.model.offer);
    if (offer) assert.equal(offer.revision, this.sync.revision);
    this.sync = fetch(this.sync, new Date(this.nowMs));
    this.model.fetch(this.nowMs);
  }

  private repeatReport() {
    if (!this.lastReport) return;
    const { report, variant } = this.lastReport;
    this.report({ ...report, receivedMs: this.nowMs }, variant);
  }

  private report(report: SymbolicReport, variant: number) {
    this.lastReport = { report, variant };
    const before = this.sync;
    const { sync, outcome } = receiveReport(before, toDeviceReport(report, variant));
    this.sync = sync;
    assert.equal(outcome.kind, this.model.report(report));
    this.checkReport(before, outcome.kind);
  }

  /** Properties of every report, independent of the model. */
  private checkReport(before: DeviceSync, outcome: string) {
    assert.equal(this.sync.revision, before.revision, 'a report makes no revision');
    if (outcome === 'confirmed') {
      assert.notEqual(before.pending, null, 'only what was pending can be confirmed');
      assert.deepEqual(
        keysOf(this.sync.pending?.config ?? {}).filter((key) => !before.pending?.refusal?.keys.includes(key)),
        [],
        'only what was refused stays',
      );
      assert.equal(syncStatus(this.sync), this.sync.pending ? 'failed' : 'applied');
    } else {
      assert.deepEqual(this.sync.pending?.config, before.pending?.config, 'a report changes nothing pending');
    }
    if (before.pending && !offered(before) && outcome !== 'confirmed')
      assert.deepEqual(this.sync.pending, before.pending, 'what has failed stays so');
  }

  /** A device that sees a revision twice sees the same change twice. */
  private checkRevision(before: DeviceSync) {
    assert.equal(this.sync.revision >= before.revision, true, 'revisions never shrink');
    const [offer, offerBefore] = [offered(this.sync), offered(before)];
    if (offer && JSON.stringify(offer.config) !== JSON.stringify(offerBefore?.config))
      assert.equal(this.sync.revision > before.revision, true, 'another change needs another revision');
  }

  private compare() {
    const { model, sync } = this;
    assert.equal(syncStatus(sync), model.status);
    assert.deepEqual(unconfirmedKeys(sync).toSorted(), model.unconfirmed.toSorted());
    assert.deepEqual(toSymbols(sync.pending?.config), model.pending);
    assert.deepEqual(toSymbols(sync.reported?.config), model.reported);
    assert.equal(sync.reported?.at.getTime() ?? null, model.reportedMs);
    assert.deepEqual(toSymbols(sync.confirmed) ?? {}, model.confirmed);
    assert.deepEqual(toSymbols(offered(sync)?.config), model.offer);
    for (const name of model.refusal ?? [])
      assert.equal(sync.pending?.refusal?.reason.includes(name), true, `the reason names ${name}`);
  }
}

describe('A random sequence of merges, fetches, reports, withdrawals and new hardware', function () {
  const numRuns = Number(process.env.SYNC_SCENARIOS ?? 2_000);
  this.timeout(180_000 + 10 * numRuns);

  it(`leaves the device in the state of the reference model (${numRuns} scenarios)`, () => {
    assert.equal(CONTRADICTIONS_MAX, 3);
    fc.assert(
      fc.property(scenarios, (events) => {
        const scenario = new Scenario();
        for (const event of events) scenario.play(event);
      }),
      { numRuns },
    );
  });

  it('leaves no device stuck: one that fetches and applies its offers ends as applied, except for refused settings', () => {
    fc.assert(
      fc.property(scenarios, (events) => {
        const scenario = new Scenario();
        for (const event of events) scenario.play(event);
        const late = new Date(START_MS + 86_400_000);
        const offer = offered(scenario.sync);
        if (!offer) return;
        const running = { ...scenario.sync.reported?.config, ...offer.config };
        const report = { config: running, hash: null, receivedAt: late, madeAt: late, errors: null };
        const { sync } = receiveReport(fetch(scenario.sync, late), report);
        assert.equal(offered(sync), null);
        assert.equal(syncStatus(sync), sync.pending ? 'failed' : 'applied');
        if (!scenario.sync.pending?.refusal) assert.equal(sync.pending, null);
        assert.deepEqual(sync.reported?.config, running);
      }),
      { numRuns: Math.ceil(numRuns / 10) },
    );
  });
});
