/**
 * Section 5 of the contract for one device: its main rules by example, and what the reference model does not
 * know. device-sync-model.test.ts compares all rules with that model.
 */
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
  syncStatus,
  withdraw,
} from '../../src/devices/device-sync.ts';
import { COAP_SLACK_MS, guard, START_MS } from './fixtures.ts';

/** Seconds after the start of each scenario. */
const at = (seconds: number) => new Date(START_MS + seconds * 1_000);

interface ReportTimes {
  /** Arrival, in seconds. */
  arrived: number;
  /** Time on the device; default: at its arrival. */
  made?: number;
  errors?: DeviceReport['errors'];
}

const reportOf = (config: DeviceConfiguration, { arrived, made = arrived, errors = null }: ReportTimes) => ({
  config,
  hash: null,
  receivedAt: at(arrived),
  madeAt: at(made),
  errors,
});

const receive = (sync: DeviceSync, config: DeviceConfiguration, times: ReportTimes) =>
  receiveReport(sync, reportOf(config, times));
const afterReport = (sync: DeviceSync, config: DeviceConfiguration, times: ReportTimes) =>
  receive(sync, config, times).sync;

const errorsMade = (message: string, made: number, slackMs = 0) => ({
  items: [{ id: message, message }],
  at: at(made),
  slackMs,
});
/** Without a time: firmware 06.00 and 06.01, and reports over HTTP. */
const errorsNow = (...messages: string[]) => ({
  items: messages.map((message) => ({ id: message, message })),
  at: null,
  slackMs: COAP_SLACK_MS,
});

const OLD = { measurementPeriodBase: 60, measurementPeriodFactor: 1, transmissionInterval: 3_600 };
const DAILY = { transmissionInterval: 86_400 };
const RULES = { alarmRules: [guard] };
const MINUTES = { measurementPeriodBase: 600 };

/** Runs the old configuration and has reported it. */
const known = afterReport(NEW_DEVICE, OLD, { arrived: 0 });
/** The change was fetched at second 100. */
const fetched = (change: DeviceConfiguration, sync = known) => fetch(merge(sync, change), at(100));
const refused = afterReport(fetched(DAILY), OLD, { arrived: 110, errors: errorsMade('out of range', 110) });

describe('Sync status', () => {
  it('shows no_device_report until the first report, even while a change is pending or fetched', () => {
    assert.equal(syncStatus(NEW_DEVICE), 'no_device_report');
    assert.equal(syncStatus(merge(NEW_DEVICE, DAILY)), 'no_device_report');
    assert.equal(syncStatus(fetched(DAILY, NEW_DEVICE)), 'no_device_report');
    assert.equal(syncStatus(withdraw(fetched(DAILY, NEW_DEVICE), CONFIGURATION_KEYS)), 'no_device_report');
  });

  it('shows a change as pending, as sent from its fetch and as applied from its report', () => {
    const pending = merge(known, DAILY);
    const sent = fetch(pending, at(100));
    const applied = afterReport(sent, { ...OLD, ...DAILY }, { arrived: 200 });
    assert.deepEqual([pending, sent, applied].map(syncStatus), ['pending', 'sent', 'applied']);
  });

  it('shows drifted when a later report differs, and applied when the next one is as before', () => {
    const drifted = afterReport(known, { ...OLD, ...DAILY }, { arrived: 10 });
    assert.equal(syncStatus(drifted), 'drifted');
    assert.deepEqual(drifted.reported?.config, { ...OLD, ...DAILY });
    assert.equal(syncStatus(afterReport(drifted, OLD, { arrived: 20 })), 'applied');
  });
});

describe('Reported configurations', () => {
  it('forgets the old value of a setting that a partial report confirms without naming it', () => {
    const rules = afterReport(known, { alarmRules: [] }, { arrived: 10 });
    const confirmed = afterReport(fetched(RULES, rules), OLD, { arrived: 200 });
    assert.equal(confirmed.pending, null);
    assert.deepEqual(confirmed.reported?.config, OLD);
    assert.equal(syncStatus(afterReport(confirmed, { alarmRules: [] }, { arrived: 300 })), 'drifted');
  });

  it('shows the new intervals when a partial report confirms them without naming them', () => {
    const confirmed = afterReport(fetched({ ...DAILY, ...MINUTES, ...RULES }), DAILY, { arrived: 200 });
    assert.equal(confirmed.pending, null);
    assert.deepEqual(confirmed.reported?.config, { ...OLD, ...DAILY, ...MINUTES });
  });
});

describe('Pending changes', () => {
  it('offers a change with its revision until it is confirmed', () => {
    const pending = merge(known, DAILY);
    assert.deepEqual(offered(pending), { revision: 1, config: DAILY });
    assert.deepEqual(offered(fetch(pending, at(100))), { revision: 1, config: DAILY });
    assert.equal(offered(afterReport(fetched(DAILY), DAILY, { arrived: 200 })), null);
    assert.equal(offered(known), null);
  });

  it('fetches nothing when nothing is pending', () => {
    assert.equal(fetch(known, at(100)), known);
  });
});

describe('The reason of a refusal', () => {
  it('cuts the reason to 500 characters, and keeps or leaves out a character of two code units as a whole', () => {
    for (const length of [476, 477, 478, 479, 480]) {
      const errors = errorsMade(`${'y'.repeat(length)}\u{1F9CA}${'z'.repeat(60)}`, 110);
      const { outcome } = receive(fetched(DAILY), OLD, { arrived: 110, errors });
      const reason = outcome.kind === 'rejected' ? outcome.reason : '';
      assert.ok(
        reason.isWellFormed() && reason.length >= 499 && reason.length <= 500,
        `${length}: ${reason.length}`,
      );
      assert.ok(reason.endsWith('…'));
    }
  });
});

describe('Confirmation', () => {
  it('confirms a fetched change by a report that contradicts none of it', () => {
    const { sync, outcome } = receive(
      fetched({ ...DAILY, ...RULES }),
      { ...OLD, ...DAILY },
      { arrived: 200 },
    );
    assert.equal(outcome.kind, 'confirmed');
    assert.equal(sync.pending, null);
    assert.equal(syncStatus(sync), 'applied');
  });

  it('confirms a change that was never fetched by a report that has all of its settings with equal values', () => {
    const pending = merge(known, { ...DAILY, ...RULES });
    const filled = { ...OLD, ...DAILY, alarmRules: [guard, DISABLED_RULE] };
    assert.equal(receive(pending, filled, { arrived: 50 }).outcome.kind, 'confirmed');
  });

  it('confirms a change that was never fetched by a report without its delay and severity, and keeps these', () => {
    const rules = { alarmRules: [{ ...guard, terms: { delayMinutes: 5, severity: 'warning' as const } }] };
    const { sync, outcome } = receive(merge(known, rules), RULES, { arrived: 50 });
    assert.equal(outcome.kind, 'confirmed');
    assert.deepEqual(sync.confirmed?.alarmRules, rules.alarmRules);
  });

  it('confirms nothing by a report from before the fetch that arrived after it', () => {
    const { sync, outcome } = receive(fetched({ ...DAILY, ...RULES }), DAILY, { arrived: 200, made: 99 });
    assert.deepEqual(outcome, { kind: 'recorded' });
    assert.equal(syncStatus(sync), 'sent');
  });
});

describe('Contradiction', () => {
  it('offers a contradicted change again under the same revision, since the answer got lost', () => {
    const { sync, outcome } = receive(fetched(DAILY), OLD, { arrived: 200 });
    assert.deepEqual(outcome, { kind: 'reoffered' });
    assert.equal(syncStatus(sync), 'pending');
    assert.deepEqual(offered(sync), { revision: 1, config: DAILY });
  });

  it('fails a change in the third round of fetch and contradiction, with the differing settings as reason', () => {
    let sync = merge(known, { ...DAILY, ...RULES, ...MINUTES });
    for (let round = 1; round <= 3; round++) {
      assert.equal(syncStatus(sync), 'pending', `before round ${round}`);
      sync = fetch(sync, at(round * 100));
      sync = afterReport(sync, { ...OLD, ...MINUTES, alarmRules: [] }, { arrived: round * 100 + 10 });
    }
    assert.equal(syncStatus(sync), 'failed');
    assert.match(sync.pending?.refusal?.reason ?? '', /transmissionInterval/);
    assert.match(sync.pending?.refusal?.reason ?? '', /alarmRules/);
    assert.doesNotMatch(sync.pending?.refusal?.reason ?? '', /measurementPeriod/);
  });
});

describe('Errors that a device reports', () => {
  it('fails a fetched change at once by an error, with its text as reason', () => {
    const { sync, outcome } = receive(fetched(DAILY), OLD, {
      arrived: 110,
      errors: errorsMade('no way', 110),
    });
    assert.equal(outcome.kind, 'rejected');
    assert.equal(syncStatus(sync), 'failed');
    assert.match(sync.pending?.refusal?.reason ?? '', /no way/);
  });

  it('accepts errors over CoAP from up to 60 seconds before the fetch, and not a second more', () => {
    const outcomeOf = (made: number) =>
      receive(fetched(DAILY), {}, { arrived: 110, made: 50, errors: errorsMade('x', made, COAP_SLACK_MS) })
        .outcome;
    assert.equal(outcomeOf(40).kind, 'rejected');
    assert.equal(outcomeOf(39).kind, 'recorded');
  });

  /** Had an error and has fetched a change since. */
  const faulty = (errors: DeviceReport['errors']) =>
    fetched(DAILY, afterReport(NEW_DEVICE, OLD, { arrived: 0, errors }));
  const applied = { ...OLD, ...DAILY };
  const kindOf = (sync: DeviceSync, config: DeviceConfiguration, errors: DeviceReport['errors']) =>
    receive(sync, config, { arrived: 110, errors }).outcome.kind;

  it('ignores errors that it reported before the fetch, with the same time or without one', () => {
    for (const errors of [
      errorsNow('known'),
      errorsMade('known', -345_600),
      errorsMade('known', 230),
      errorsMade('known', 86_400),
      errorsMade('known', 31_536_000),
    ]) {
      assert.equal(kindOf(faulty(errors), applied, errors), 'confirmed');
      assert.equal(kindOf(faulty(errors), OLD, errors), 'reoffered');
      assert.equal(kindOf(faulty(errors), {}, errors), 'recorded');
    }
  });

  it('fails a change by an error that was not reported before, and names that one', () => {
    const { sync } = receive(faulty(errorsNow('known')), OLD, {
      arrived: 110,
      errors: errorsNow('known', 'new'),
    });
    assert.equal(sync.pending?.refusal?.reason, 'the device refused: new');
  });

  it('fails a change by an error that happened again, unless the device runs the whole change', () => {
    const again = errorsMade('known', 105, COAP_SLACK_MS);
    for (const before of [errorsNow('known'), errorsMade('known', -50)]) {
      assert.equal(kindOf(faulty(before), OLD, again), 'rejected');
      assert.equal(kindOf(faulty(before), DAILY, again), 'confirmed');
    }
  });

  it('fails a change again by its earlier refusal, unless the device runs the whole change now', () => {
    const known = errorsNow('known');
    const no = afterReport(fetched(DAILY), OLD, { arrived: 110, errors: known });
    const later = afterReport(no, OLD, { arrived: 150, errors: known });
    for (const sync of [no, later]) {
      const again = fetch(merge(sync, DAILY), at(200));
      const kind = (config: DeviceConfiguration) =>
        receive(again, config, { arrived: 210, errors: known }).outcome.kind;
      assert.deepEqual([kind(MINUTES), kind(OLD), kind(DAILY)], ['rejected', 'rejected', 'confirmed']);
      const other = fetch(merge(sync, MINUTES), at(200));
      assert.equal(receive(other, MINUTES, { arrived: 210, errors: known }).outcome.kind, 'confirmed');
    }
  });

  it('remembers errors while reports without them or without settings come after the fetch', () => {
    const known = errorsNow('known');
    const silent = afterReport(faulty(known), {}, { arrived: 105 });
    assert.equal(kindOf(silent, OLD, known), 'reoffered');
    const partly = afterReport(faulty(known), {}, { arrived: 105, errors: errorsMade('old', 10) });
    assert.equal(kindOf(partly, OLD, known), 'reoffered');
  });

  it('forgets errors that are missing in the last report before the fetch, and those of replaced hardware', () => {
    const known = errorsNow('known');
    const healthy = afterReport(afterReport(NEW_DEVICE, OLD, { arrived: 0, errors: known }), OLD, {
      arrived: 1,
    });
    assert.equal(kindOf(fetched(DAILY, healthy), OLD, known), 'rejected');
    const hardware = replaceHardware(afterReport(NEW_DEVICE, OLD, { arrived: 0, errors: known }));
    assert.equal(kindOf(fetch(hardware, at(100)), OLD, known), 'rejected');
  });
});

describe('Failed changes', () => {
  it('shows a failed change and does not offer it', () => {
    assert.equal(syncStatus(refused), 'failed');
    assert.deepEqual(refused.pending?.config, DAILY);
    assert.equal(offered(refused), null);
    assert.equal(fetch(refused, at(300)), refused);
  });

  it('offers a failed change again after a merge of its settings, as a new revision without rounds', () => {
    const merged = merge(refused, { ...DAILY, ...MINUTES });
    assert.deepEqual(offered(merged), { revision: 2, config: { ...DAILY, ...MINUTES } });
    assert.equal(syncStatus(merged), 'pending');
    assert.equal(merged.pending?.contradictions, 0);
    assert.equal(merged.pending?.refusal, null);
  });

  it('offers other settings without the refused ones, which stay pending', () => {
    const merged = merge(refused, MINUTES);
    assert.deepEqual(offered(merged), { revision: 2, config: MINUTES });
    assert.deepEqual(merged.pending?.config, { ...DAILY, ...MINUTES });
    assert.equal(syncStatus(merged), 'pending');
    assert.equal(syncStatus(fetch(merged, at(300))), 'sent');
  });

  it('shows a change as failed again when the device has confirmed the other settings', () => {
    const sent = fetch(merge(refused, MINUTES), at(300));
    const { sync, outcome } = receive(sent, { ...OLD, ...MINUTES }, { arrived: 310 });
    assert.deepEqual(outcome, { kind: 'confirmed', change: MINUTES });
    assert.deepEqual([syncStatus(sync), offered(sync)], ['failed', null]);
    assert.deepEqual(sync.pending?.config, DAILY);
    assert.deepEqual(sync.pending?.refusal, refused.pending?.refusal);
  });
});

describe('Withdrawing settings', () => {
  it('leaves the other settings pending as a new revision when some are withdrawn', () => {
    const sync = withdraw(fetched({ ...DAILY, ...RULES }), ['transmissionInterval']);
    assert.deepEqual(sync.pending, { config: RULES, fetchedAt: null, contradictions: 0, refusal: null });
    assert.equal(sync.revision, 2);
  });

  it('withdraws nothing when nothing is pending', () => {
    assert.equal(withdraw(known, CONFIGURATION_KEYS), known);
  });
});

describe('Replaced hardware', () => {
  const fridge = afterReport(fetched(RULES), { ...OLD, ...RULES }, { arrived: 200 });

  it('offers new hardware the confirmed configuration, with the pending change on top', () => {
    const sync = replaceHardware(fetch(merge(fridge, DAILY), at(300)));
    assert.deepEqual(offered(sync), { revision: 3, config: { ...OLD, ...RULES, ...DAILY } });
    assert.equal(syncStatus(sync), 'pending');
  });
});

describe('What a device is expected to run', () => {
  const REFUSAL = { keys: CONFIGURATION_KEYS, reason: 'out of range' };
  const waiting = { config: DAILY, fetchedAt: null, contradictions: 0, refusal: null };
  const device = (more: Partial<DeviceSync>): DeviceSync => ({
    ...NEW_DEVICE,
    reported: { config: OLD, at: at(0), hash: null },
    confirmed: OLD,
    revision: 3,
    pending: waiting,
    ...more,
  });

  it('monitors the device by what it confirmed, until then by what is pending, failed or not', () => {
    assert.equal(monitoredConfig(device({})), OLD);
    const pending = { ...waiting, config: RULES, refusal: REFUSAL };
    assert.equal(monitoredConfig(device({ confirmed: null, pending })), RULES);
    assert.equal(monitoredConfig(device({ confirmed: null, pending: null })), null);
  });

  it('expects the longer interval from the fetch of a change on', () => {
    const pending = { ...waiting, fetchedAt: at(100) };
    assert.equal(expectedIntervalSeconds(device({})), 3_600);
    assert.equal(expectedIntervalSeconds(device({ pending })), 86_400);
    assert.equal(expectedIntervalSeconds(device({ pending: { ...pending, refusal: REFUSAL } })), 3_600);
    const unknown = device({ reported: null, confirmed: null, pending: null });
    assert.equal(expectedIntervalSeconds(unknown), null);
  });
});

describe('Reports over HTTP', () => {
  const parse = (more: Partial<ReportBody>) => toDeviceReport({ ...OLD, ...more }, at(100));

  it('dates a report by its own time, else by its arrival', () => {
    assert.deepEqual(parse({ reportedAt: at(-60) }).madeAt, at(-60));
    assert.deepEqual(parse({}).madeAt, at(100));
  });

  it('dates a report by its arrival when its own time is implausible', () => {
    for (const reportedAt of ['1970-01-01T00:10:00Z', '2014-12-31T23:59:59Z', '2026-03-03T08:01:41Z'])
      assert.deepEqual(parse({ reportedAt: new Date(reportedAt) }).madeAt, at(100), reportedAt);
  });

  it('reads the settings of a report, and nothing else, as its configuration', () => {
    assert.deepEqual(parse({ configHash: 7, reportedAt: at(0), errors: [] }).config, OLD);
    assert.equal(parse({ configHash: 7 }).hash, 7);
    assert.equal(parse({}).hash, null);
  });

  it('treats errors over HTTP as those of the report, without tolerance, and adds their codes', () => {
    const { errors } = parse({ errors: [{ code: 7, message: 'range' }, { message: 'other' }] });
    const items = [
      { id: '7', message: 'range (code 7)' },
      { id: 'other', message: 'other' },
    ];
    assert.deepEqual(errors, { items, at: null, slackMs: 0 });
    assert.equal(parse({ errors: [] }).errors, null);
  });
});
