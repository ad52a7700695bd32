/** What contract.md says in sections 3, 4 and 10 of one device and its configuration: each rule by an example. */
import assert from 'node:assert/strict';
import {
  type DeviceReport,
  type ReportBody,
  receiveReport,
  toDeviceReport,
} from '../../src/devices/config-report.ts';
import {
  CONFIGURATION_KEYS,
  type DeviceConfiguration,
  DISABLED_RULE,
} from '../../src/devices/configuration.ts';
import {
  type DeviceSync,
  expectedIntervalSeconds,
  fetch,
  merge,
  monitoredConfig,
  NEW_DEVICE,
  offered,
  replaceHardware,
  type SyncState,
  syncStatus,
  withContents,
  withdraw,
} from '../../src/devices/device-sync.ts';
import { COAP_SLACK_MS, guard, START_MS } from './fixtures.ts';

/** Seconds after the start of every story. */
const at = (seconds: number) => new Date(START_MS + seconds * 1_000);

interface Said {
  /** When it came in, in seconds. */
  cameIn: number;
  /** When the device made it; default: when it came in. */
  made?: number;
  errors?: DeviceReport['errors'];
}

const reportOf = (config: DeviceConfiguration, { cameIn, made = cameIn, errors = null }: Said) => ({
  config,
  hash: null,
  receivedAt: at(cameIn),
  madeAt: at(made),
  errors,
});

const told = (sync: DeviceSync, config: DeviceConfiguration, said: Said) =>
  receiveReport(sync, reportOf(config, said));
const afterReport = (sync: DeviceSync, config: DeviceConfiguration, said: Said) =>
  told(sync, config, said).sync;

const complaint = (message: string, made: number, slackMs = 0) => ({
  messages: [message],
  madeAt: at(made),
  slackMs,
});

const OLD = { measurementPeriodBase: 60, measurementPeriodFactor: 1, transmissionInterval: 3_600 };
const HOURLY = { transmissionInterval: 3_600 };
const DAILY = { transmissionInterval: 86_400 };
const RULES = { alarmRules: [guard] };
const MINUTES = { measurementPeriodBase: 600 };

/** Runs the old configuration and has said so. */
const known = afterReport(NEW_DEVICE, OLD, { cameIn: 0 });
/** The change was fetched at second 100. */
const taken = (change: DeviceConfiguration, sync = known) => fetch(merge(sync, change), at(100));
const refused = afterReport(taken(DAILY), OLD, { cameIn: 110, errors: complaint('out of range', 110) });

describe('The sync status of a device', () => {
  it('is no_device_report until its first report, also while a change is pending or fetched', () => {
    assert.equal(syncStatus(NEW_DEVICE), 'no_device_report');
    assert.equal(syncStatus(merge(NEW_DEVICE, DAILY)), 'no_device_report');
    assert.equal(syncStatus(taken(DAILY, NEW_DEVICE)), 'no_device_report');
    assert.equal(syncStatus(withdraw(taken(DAILY, NEW_DEVICE), CONFIGURATION_KEYS)), 'no_device_report');
  });

  it('goes from pending to sent with the fetch and to applied with the report', () => {
    const pending = merge(known, DAILY);
    const sent = fetch(pending, at(100));
    const applied = afterReport(sent, { ...OLD, ...DAILY }, { cameIn: 200 });
    assert.deepEqual([pending, sent, applied].map(syncStatus), ['pending', 'sent', 'applied']);
  });

  it('is applied after a first report with nothing pending: what it says becomes what is confirmed', () => {
    assert.equal(syncStatus(known), 'applied');
    assert.deepEqual(known.confirmed, OLD);
    assert.equal(known.pending, null);
  });

  it('is drifted when a later report differs, and applied again when one is as it was', () => {
    const drifted = afterReport(known, { ...OLD, ...DAILY }, { cameIn: 10 });
    assert.equal(syncStatus(drifted), 'drifted');
    assert.deepEqual(drifted.reported?.config, { ...OLD, ...DAILY });
    assert.equal(syncStatus(afterReport(drifted, OLD, { cameIn: 20 })), 'applied');
  });

  it('stays drifted when a partial report does not mention what has drifted', () => {
    const drifted = afterReport(known, { ...OLD, ...DAILY }, { cameIn: 10 });
    assert.equal(syncStatus(afterReport(drifted, { measurementPeriodBase: 60 }, { cameIn: 20 })), 'drifted');
  });

  it('does not drift by a first word on a setting, and is held to that word from then on', () => {
    const more = afterReport(known, RULES, { cameIn: 10 });
    assert.equal(syncStatus(more), 'applied');
    assert.equal(syncStatus(afterReport(more, { alarmRules: [] }, { cameIn: 20 })), 'drifted');
  });

  it('takes a list with DISABLED entries at its end, or its sets in another order, for the same list', () => {
    const rules = afterReport(known, RULES, { cameIn: 10 });
    const same = { alarmRules: [{ ...guard, slotNumbers: [2, 0] }, DISABLED_RULE, DISABLED_RULE] };
    assert.equal(syncStatus(afterReport(rules, same, { cameIn: 20 })), 'applied');
  });

  it('does not hide drift behind a change: it is pending, sent, then applied with what the device runs', () => {
    const drifted = afterReport(known, { ...OLD, ...DAILY }, { cameIn: 10 });
    const sent = taken(MINUTES, drifted);
    assert.equal(syncStatus(sent), 'sent');
    const confirmed = afterReport(sent, { ...OLD, ...DAILY, ...MINUTES }, { cameIn: 200 });
    assert.equal(syncStatus(confirmed), 'applied');
    assert.equal(syncStatus(afterReport(confirmed, { ...OLD, ...MINUTES }, { cameIn: 300 })), 'drifted');
  });

  it('is applied after any confirmation, also when the report leaves out what had drifted before', () => {
    const drifted = afterReport(afterReport(known, RULES, { cameIn: 5 }), { alarmRules: [] }, { cameIn: 10 });
    assert.equal(syncStatus(drifted), 'drifted');
    const confirmed = afterReport(taken(DAILY, drifted), DAILY, { cameIn: 200 });
    assert.equal(confirmed.pending, null);
    assert.equal(syncStatus(confirmed), 'applied');
  });
});

describe('What a device has reported', () => {
  it('is kept with the time of its arrival, not the time it was made', () => {
    const { reported } = afterReport(NEW_DEVICE, OLD, { cameIn: 50, made: 20 });
    assert.deepEqual(reported?.config, OLD);
    assert.deepEqual(reported?.at, at(50));
  });

  it('is replaced setting by setting: a partial report leaves the others as they were known', () => {
    assert.deepEqual(afterReport(known, DAILY, { cameIn: 10 }).reported?.config, { ...OLD, ...DAILY });
  });

  it('also follows reports that confirm nothing', () => {
    const stale = afterReport(taken(DAILY), { ...OLD, ...MINUTES }, { cameIn: 200, made: 90 });
    assert.deepEqual(stale.reported?.config, { ...OLD, ...MINUTES });
  });

  it('is not said to be the old value of a setting that a partial report has confirmed without naming it', () => {
    const rules = afterReport(known, { alarmRules: [] }, { cameIn: 10 });
    const confirmed = afterReport(taken(RULES, rules), OLD, { cameIn: 200 });
    assert.equal(confirmed.pending, null);
    assert.deepEqual(confirmed.reported?.config, OLD);
    assert.equal(syncStatus(afterReport(confirmed, { alarmRules: [] }, { cameIn: 300 })), 'drifted');
  });

  it('always has its intervals: those that a partial report confirms without naming them are the new ones', () => {
    const confirmed = afterReport(taken({ ...DAILY, ...MINUTES, ...RULES }), DAILY, { cameIn: 200 });
    assert.equal(confirmed.pending, null);
    assert.deepEqual(confirmed.reported?.config, { ...OLD, ...DAILY, ...MINUTES });
  });

  it('is not touched by a message that names no setting', () => {
    assert.equal(syncStatus(afterReport(NEW_DEVICE, {}, { cameIn: 10 })), 'no_device_report');
    assert.deepEqual(afterReport(known, {}, { cameIn: 10 }), known);
  });
});

describe('A pending change', () => {
  it('is offered with its revision until it is confirmed', () => {
    const pending = merge(known, DAILY);
    assert.deepEqual(offered(pending), { revision: 1, config: DAILY });
    assert.deepEqual(offered(fetch(pending, at(100))), { revision: 1, config: DAILY });
    assert.equal(offered(afterReport(taken(DAILY), DAILY, { cameIn: 200 })), null);
    assert.equal(offered(known), null);
  });

  it('takes a later one in, setting by setting, under a new revision that has to be fetched anew', () => {
    const sync = merge(merge(taken({ ...HOURLY, ...MINUTES }), DAILY), RULES);
    assert.deepEqual(sync.pending?.config, { ...MINUTES, ...DAILY, ...RULES });
    assert.equal(sync.pending?.fetchedAt, null);
    assert.equal(sync.revision, 3);
  });

  it('gets a new revision from a merge that changes nothing, too', () => {
    const sync = merge(taken(DAILY), DAILY);
    assert.equal(sync.revision, 2);
    assert.equal(syncStatus(sync), 'pending');
  });

  it('never gets a revision that was there before', () => {
    const confirmed = afterReport(taken(DAILY), DAILY, { cameIn: 200 });
    assert.equal(confirmed.revision, 1);
    assert.equal(merge(confirmed, DAILY).revision, 2);
    assert.equal(merge(withdraw(merge(known, DAILY), ['transmissionInterval']), DAILY).revision, 2);
  });

  it('counts from its first fetch: the device may have acted on any of them', () => {
    const twice = fetch(taken(DAILY), at(150));
    assert.deepEqual(twice.pending?.fetchedAt, at(100));
    assert.equal(afterReport(twice, DAILY, { cameIn: 200, made: 120 }).pending, null);
  });

  it('is not there to fetch when nothing is pending', () => {
    assert.equal(fetch(known, at(100)), known);
  });
});

describe('A report confirms', () => {
  it('a fetched change when it contradicts none of it', () => {
    const { sync, outcome } = told(taken({ ...DAILY, ...RULES }), { ...OLD, ...DAILY }, { cameIn: 200 });
    assert.deepEqual(outcome, { kind: 'confirmed' });
    assert.equal(sync.pending, null);
    assert.equal(syncStatus(sync), 'applied');
  });

  it('a fetched change when it was made in the very moment of the fetch', () => {
    assert.equal(afterReport(taken(DAILY), { ...OLD, ...DAILY }, { cameIn: 100 }).pending, null);
  });

  it('a change that was never fetched when it carries every setting of it with equal values', () => {
    const pending = merge(known, { ...DAILY, ...RULES });
    const filled = { ...OLD, ...DAILY, alarmRules: [guard, DISABLED_RULE] };
    assert.equal(told(pending, filled, { cameIn: 50 }).outcome.kind, 'confirmed');
  });

  it('nothing that was never fetched while a setting of it is missing or differs', () => {
    const pending = merge(known, { ...DAILY, ...RULES });
    for (const config of [DAILY, RULES, {}, { ...OLD, ...RULES }, { ...DAILY, alarmRules: [] }]) {
      const { sync, outcome } = told(pending, config, { cameIn: 50 });
      assert.deepEqual(outcome, { kind: 'recorded' });
      assert.deepEqual(sync.pending, pending.pending);
      assert.equal(sync.revision, pending.revision);
    }
  });

  it('nothing when it names no setting, not even with errors that are older than the fetch', () => {
    for (const errors of [null, complaint('out of range', 99)]) {
      const { sync, outcome } = told(taken({ ...DAILY, ...RULES }), {}, { cameIn: 200, errors });
      assert.deepEqual(outcome, { kind: 'recorded' });
      assert.equal(syncStatus(sync), 'sent');
    }
    const fresh = told(taken(DAILY), {}, { cameIn: 200, errors: complaint('out of range', 150) });
    assert.equal(fresh.outcome.kind, 'rejected');
  });

  it('nothing when it was made before the fetch, though it came in after it', () => {
    const { sync, outcome } = told(taken({ ...DAILY, ...RULES }), DAILY, { cameIn: 200, made: 99 });
    assert.deepEqual(outcome, { kind: 'recorded' });
    assert.equal(syncStatus(sync), 'sent');
  });

  it('nothing when it came in before the fetch, though the clock of the device runs ahead', () => {
    const { sync, outcome } = told(taken({ ...DAILY, ...RULES }), DAILY, { cameIn: 99, made: 700 });
    assert.deepEqual(outcome, { kind: 'recorded' });
    assert.equal(syncStatus(sync), 'sent');
  });

  it('all the same when it was made before the fetch but carries every setting with equal values', () => {
    const { outcome } = told(
      taken({ ...DAILY, ...RULES }),
      { ...DAILY, ...RULES },
      { cameIn: 200, made: 50 },
    );
    assert.equal(outcome.kind, 'confirmed');
  });

  it('only the revision that was fetched: a merge in between has to be fetched, too', () => {
    const remerged = merge(taken(DAILY), RULES);
    const { sync, outcome } = told(remerged, { ...OLD, ...DAILY }, { cameIn: 200 });
    assert.deepEqual(outcome, { kind: 'recorded' });
    assert.deepEqual(sync.pending?.config, { ...DAILY, ...RULES });
  });

  it('a change for good: what it set is what the device is held to', () => {
    const confirmed = afterReport(taken(DAILY), { ...OLD, ...DAILY }, { cameIn: 200 });
    assert.deepEqual(confirmed.confirmed, { ...OLD, ...DAILY });
    assert.equal(syncStatus(afterReport(confirmed, OLD, { cameIn: 300 })), 'drifted');
  });
});

describe('A report that contradicts a fetched change', () => {
  it('opens it again under the same revision: the answer got lost on the way', () => {
    const { sync, outcome } = told(taken(DAILY), OLD, { cameIn: 200 });
    assert.deepEqual(outcome, { kind: 'reoffered' });
    assert.equal(syncStatus(sync), 'pending');
    assert.deepEqual(offered(sync), { revision: 1, config: DAILY });
  });

  it('fails it in the third round of fetch and contradiction, with the differing fields as reason', () => {
    let sync = merge(known, { ...DAILY, ...RULES, ...MINUTES });
    for (let round = 1; round <= 3; round++) {
      assert.equal(syncStatus(sync), 'pending', `before round ${round}`);
      sync = fetch(sync, at(round * 100));
      sync = afterReport(sync, { ...OLD, ...MINUTES, alarmRules: [] }, { cameIn: round * 100 + 10 });
    }
    assert.equal(syncStatus(sync), 'failed');
    assert.match(sync.pending?.failure ?? '', /transmissionInterval/);
    assert.match(sync.pending?.failure ?? '', /alarmRules/);
    assert.doesNotMatch(sync.pending?.failure ?? '', /measurementPeriod/);
  });

  it('is no round when the change was not fetched again since the last one', () => {
    let sync = taken(DAILY);
    for (let repeat = 0; repeat < 10; repeat++) sync = afterReport(sync, OLD, { cameIn: 200 + repeat });
    assert.equal(syncStatus(sync), 'pending');
    assert.equal(told(fetch(sync, at(300)), OLD, { cameIn: 310 }).outcome.kind, 'reoffered');
  });

  it('is no round when it was made before the fetch', () => {
    let sync = taken(DAILY);
    for (let repeat = 0; repeat < 10; repeat++)
      sync = afterReport(sync, OLD, { cameIn: 200 + repeat, made: 99 });
    assert.equal(syncStatus(sync), 'sent');
  });

  it('is no round when it came in before the fetch, whatever its clock says', () => {
    const { sync, outcome } = told(taken(DAILY), OLD, { cameIn: 99, made: 101 });
    assert.deepEqual(outcome, { kind: 'recorded' });
    assert.equal(syncStatus(sync), 'sent');
  });

  it('begins the rounds anew after a merge', () => {
    let sync = known;
    for (let round = 1; round <= 6; round++) {
      if (round % 2 === 1) sync = merge(sync, DAILY);
      sync = afterReport(fetch(sync, at(round * 100)), OLD, { cameIn: round * 100 + 10 });
      assert.equal(syncStatus(sync), 'pending', `after round ${round}`);
    }
  });
});

describe('Errors that a device reports', () => {
  it('fail a fetched change at once, with their text as reason', () => {
    const { sync, outcome } = told(taken(DAILY), OLD, { cameIn: 110, errors: complaint('no way', 110) });
    assert.equal(outcome.kind, 'rejected');
    assert.equal(syncStatus(sync), 'failed');
    assert.match(sync.pending?.failure ?? '', /no way/);
  });

  it('fail it also when the report looks as if the change was taken', () => {
    const { outcome } = told(taken(DAILY), DAILY, { cameIn: 110, errors: complaint('partly', 110) });
    assert.equal(outcome.kind, 'rejected');
  });

  it('count for nothing when they are older than the fetch', () => {
    const { sync } = told(taken(DAILY), { ...OLD, ...DAILY }, { cameIn: 200, errors: complaint('old', 99) });
    assert.equal(syncStatus(sync), 'applied');
  });

  it('count for nothing while the change is not fetched', () => {
    const { sync } = told(merge(known, DAILY), OLD, { cameIn: 110, errors: complaint('old', 110) });
    assert.equal(syncStatus(sync), 'pending');
  });

  it('count for nothing while nothing is pending', () => {
    assert.equal(
      syncStatus(afterReport(known, OLD, { cameIn: 110, errors: complaint('whatever', 110) })),
      'applied',
    );
  });

  it('over CoAP count with a slack of 60 seconds before the fetch, and not a second more', () => {
    const outcomeOf = (made: number) =>
      told(taken(DAILY), {}, { cameIn: 110, made: 50, errors: complaint('x', made, COAP_SLACK_MS) }).outcome;
    assert.equal(outcomeOf(40).kind, 'rejected');
    assert.equal(outcomeOf(39).kind, 'recorded');
  });

  it('count once: those that a device keeps repeating do not fail the change that comes next', () => {
    const again = fetch(merge(refused, MINUTES), at(300));
    const repeated = complaint('out of range', 110, COAP_SLACK_MS);
    const { outcome } = told(again, { ...OLD, ...DAILY, ...MINUTES }, { cameIn: 400, errors: repeated });
    assert.equal(outcome.kind, 'confirmed');
  });

  it('make a reason of at most 500 characters', () => {
    const errors = { messages: Array(20).fill('x'.repeat(200)), madeAt: at(110), slackMs: 0 };
    const { sync } = told(taken(DAILY), OLD, { cameIn: 110, errors });
    assert.equal(sync.pending?.failure?.length, 500);
  });
});

describe('A failed change', () => {
  it('stays visible and is offered no more', () => {
    assert.equal(syncStatus(refused), 'failed');
    assert.deepEqual(refused.pending?.config, DAILY);
    assert.equal(offered(refused), null);
    assert.equal(fetch(refused, at(300)), refused);
  });

  it('is offered again when something is merged, with a new revision and the rounds begun anew', () => {
    const merged = merge(refused, MINUTES);
    assert.deepEqual(offered(merged), { revision: 2, config: { ...DAILY, ...MINUTES } });
    assert.equal(syncStatus(merged), 'pending');
    assert.equal(merged.pending?.contradictions, 0);
  });

  it('is confirmed by a device that reports every setting of it with equal values', () => {
    const { sync, outcome } = told(refused, { ...OLD, ...DAILY }, { cameIn: 300 });
    assert.equal(outcome.kind, 'confirmed');
    assert.equal(syncStatus(sync), 'applied');
  });

  it('is not confirmed by a report that leaves a setting out, however new', () => {
    const both = afterReport(
      taken({ ...DAILY, ...RULES }),
      {},
      { cameIn: 110, errors: complaint('no', 110) },
    );
    const { sync, outcome } = told(both, { ...OLD, ...DAILY }, { cameIn: 300 });
    assert.deepEqual(outcome, { kind: 'recorded' });
    assert.equal(syncStatus(sync), 'failed');
  });

  it('keeps its first reason', () => {
    const again = afterReport(refused, OLD, { cameIn: 300, errors: complaint('something else', 300) });
    assert.equal(again.pending?.failure, refused.pending?.failure);
  });
});

describe('Withdrawing settings', () => {
  it('leaves the others pending under a new revision, to be fetched anew', () => {
    const sync = withdraw(taken({ ...DAILY, ...RULES }), ['transmissionInterval']);
    assert.deepEqual(sync.pending, { config: RULES, fetchedAt: null, contradictions: 0, failure: null });
    assert.equal(sync.revision, 2);
  });

  it('leaves nothing pending when nothing is left', () => {
    const sync = withdraw(taken(DAILY), ['transmissionInterval', 'alarmRules']);
    assert.equal(sync.pending, null);
    assert.equal(syncStatus(sync), 'applied');
  });

  it('does not bring back what the change had overwritten', () => {
    const sync = withdraw(merge(merge(known, HOURLY), DAILY), ['transmissionInterval']);
    assert.equal(sync.pending, null);
  });

  it('shows a device that had fetched the change and applies it all the same as drifted', () => {
    const withdrawn = withdraw(taken(DAILY), ['transmissionInterval']);
    assert.equal(syncStatus(afterReport(withdrawn, { ...OLD, ...DAILY }, { cameIn: 200 })), 'drifted');
  });

  it('is nothing when nothing is pending', () => {
    assert.equal(withdraw(known, CONFIGURATION_KEYS), known);
  });
});

describe('New hardware', () => {
  const fridge = afterReport(taken(RULES), { ...OLD, ...RULES }, { cameIn: 200 });

  it('has to take what the old one confirmed, and over it what was pending', () => {
    const sync = replaceHardware(fetch(merge(fridge, DAILY), at(300)));
    assert.deepEqual(offered(sync), { revision: 3, config: { ...OLD, ...RULES, ...DAILY } });
    assert.equal(syncStatus(sync), 'pending');
  });

  it('leaves deviceConfig as last known until it reports itself', () => {
    const sync = replaceHardware(fridge);
    assert.deepEqual(sync.reported, fridge.reported);
    assert.deepEqual(sync.pending?.config, { ...OLD, ...RULES });
  });

  it('is asked for what was confirmed, not for what the old one had drifted to', () => {
    const drifted = afterReport(fridge, { ...OLD, ...DAILY, ...RULES }, { cameIn: 250 });
    assert.deepEqual(replaceHardware(drifted).pending?.config, { ...OLD, ...RULES });
  });

  it('is offered a change that the old one had refused', () => {
    const sync = replaceHardware(refused);
    assert.deepEqual(offered(sync)?.config, { ...OLD, ...DAILY });
    assert.equal(syncStatus(sync), 'pending');
  });

  it('of a device that never reported stays no_device_report, and what was pending stays', () => {
    assert.equal(syncStatus(replaceHardware(merge(NEW_DEVICE, DAILY))), 'no_device_report');
    assert.deepEqual(offered(replaceHardware(merge(NEW_DEVICE, DAILY)))?.config, DAILY);
    assert.equal(replaceHardware(NEW_DEVICE).pending, null);
  });

  it('has nothing to take when the old one had confirmed nothing by name', () => {
    const silent = afterReport(NEW_DEVICE, {}, { cameIn: 0 });
    assert.equal(replaceHardware(silent).pending, null);
  });

  it('as it leaves the factory contradicts nothing before it has fetched anything', () => {
    const factory = { ...OLD, alarmRules: [] };
    const reported = told(replaceHardware(fridge), factory, { cameIn: 400 });
    assert.deepEqual(reported.outcome, { kind: 'recorded' });
    const obeyed = afterReport(fetch(reported.sync, at(410)), { ...OLD, ...RULES }, { cameIn: 420 });
    assert.equal(syncStatus(obeyed), 'applied');
  });
});

describe('The questions about a device whose configurations are known by id', () => {
  const contents = new Map<string, DeviceConfiguration>([
    ['old', OLD],
    ['rules', RULES],
    ['daily', DAILY],
  ]);
  const byId = (more: Partial<SyncState<string>>): SyncState<string> => ({
    reported: { config: 'old' },
    confirmed: 'old',
    revision: 3,
    pending: { config: 'daily', fetchedAt: null, failure: null },
    ...more,
  });

  it('monitors the device by what it confirmed, until then by what is pending, failed or not', () => {
    assert.equal(monitoredConfig(byId({})), 'old');
    const pending = { config: 'rules', fetchedAt: null, failure: 'out of range' };
    assert.equal(monitoredConfig(byId({ confirmed: null, pending })), 'rules');
    assert.equal(monitoredConfig(byId({ confirmed: null, pending: null })), null);
  });

  it('offers what is pending with its revision, and nothing that the device refused', () => {
    assert.deepEqual(offered(byId({})), { revision: 3, config: 'daily' });
    const refusal = { config: 'daily', fetchedAt: at(100), failure: 'out of range' };
    assert.equal(offered(byId({ pending: refusal })), null);
  });

  it('expects the longer interval from the fetch of a change on', () => {
    const seconds = (sync: SyncState<string>) => expectedIntervalSeconds(withContents(sync, contents));
    assert.equal(seconds(byId({})), 3_600);
    assert.equal(seconds(fetch(byId({}), at(100))), 86_400);
    assert.equal(seconds(byId({ reported: null, confirmed: null, pending: null })), null);
  });

  it('finds each configuration by its id, and names one that is not stored', () => {
    const { reported, confirmed, pending } = withContents(byId({ confirmed: 'rules' }), contents);
    assert.deepEqual([reported?.config, confirmed, pending?.config], [OLD, RULES, DAILY]);
    assert.throws(
      () => withContents(byId({ confirmed: 'lost' }), contents),
      /configuration lost is not there/,
    );
  });
});

describe('A report over HTTP', () => {
  const sent = (more: Partial<ReportBody>) => toDeviceReport({ ...OLD, ...more }, at(100));

  it('was made when it says so, else when it came in', () => {
    assert.deepEqual(sent({ reportedAt: at(-60) }).madeAt, at(-60));
    assert.deepEqual(sent({}).madeAt, at(100));
  });

  it('was made when it came in if its clock is plainly wrong', () => {
    for (const reportedAt of ['1970-01-01T00:10:00Z', '2014-12-31T23:59:59Z', '2026-03-03T08:01:41Z'])
      assert.deepEqual(sent({ reportedAt: new Date(reportedAt) }).madeAt, at(100), reportedAt);
  });

  it('carries the settings it names and nothing else', () => {
    assert.deepEqual(sent({ configHash: 7, reportedAt: at(0), errors: [] }).config, OLD);
    assert.equal(sent({ configHash: 7 }).hash, 7);
    assert.equal(sent({}).hash, null);
  });

  it('has errors from when it was made, without slack, with their codes', () => {
    const { errors } = sent({ errors: [{ code: 7, message: 'range' }, { message: 'other' }] });
    assert.deepEqual(errors, { messages: ['range (code 7)', 'other'], madeAt: at(100), slackMs: 0 });
    assert.equal(sent({ errors: [] }).errors, null);
  });
});
