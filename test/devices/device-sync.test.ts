/** Section 5 of the contract for one device: each rule by an example. */
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
  unconfirmedKeys,
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
const HOURLY = { transmissionInterval: 3_600 };
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

  it('shows applied after a first report with nothing pending, and counts its settings as confirmed', () => {
    assert.equal(syncStatus(known), 'applied');
    assert.deepEqual(known.confirmed, OLD);
    assert.equal(known.pending, null);
  });

  it('shows drifted when a later report differs, and applied when the next one is as before', () => {
    const drifted = afterReport(known, { ...OLD, ...DAILY }, { arrived: 10 });
    assert.equal(syncStatus(drifted), 'drifted');
    assert.deepEqual(drifted.reported?.config, { ...OLD, ...DAILY });
    assert.equal(syncStatus(afterReport(drifted, OLD, { arrived: 20 })), 'applied');
  });

  it('lists the confirmed settings of an applied device that no report has named, until one does', () => {
    const applied = afterReport(fetched({ ...DAILY, ...RULES }), { ...OLD, ...DAILY }, { arrived: 110 });
    assert.equal(syncStatus(applied), 'applied');
    assert.deepEqual(unconfirmedKeys(applied), ['alarmRules']);
    assert.deepEqual(unconfirmedKeys(merge(applied, HOURLY)), [], 'only while it shows applied');
    assert.deepEqual(unconfirmedKeys(afterReport(applied, DAILY, { arrived: 120 })), ['alarmRules']);
    assert.deepEqual(unconfirmedKeys(afterReport(applied, RULES, { arrived: 120 })), []);
    assert.deepEqual(unconfirmedKeys(known), [], 'no change, nothing left out');
  });

  it('stays drifted when a partial report leaves out the drifted settings', () => {
    const drifted = afterReport(known, { ...OLD, ...DAILY }, { arrived: 10 });
    assert.equal(syncStatus(afterReport(drifted, { measurementPeriodBase: 60 }, { arrived: 20 })), 'drifted');
  });

  it('accepts the first value reported for a setting as confirmed, and shows drifted when it changes', () => {
    const more = afterReport(known, RULES, { arrived: 10 });
    assert.equal(syncStatus(more), 'applied');
    assert.equal(syncStatus(afterReport(more, { alarmRules: [] }, { arrived: 20 })), 'drifted');
  });

  it('ignores DISABLED entries at the end of a list and the order of sets', () => {
    const rules = afterReport(known, RULES, { arrived: 10 });
    const same = { alarmRules: [{ ...guard, slotNumbers: [2, 0] }, DISABLED_RULE, DISABLED_RULE] };
    assert.equal(syncStatus(afterReport(rules, same, { arrived: 20 })), 'applied');
  });

  it('shows a change of a drifted device as pending, sent and applied, and drift against its configuration then', () => {
    const drifted = afterReport(known, { ...OLD, ...DAILY }, { arrived: 10 });
    const sent = fetched(MINUTES, drifted);
    assert.equal(syncStatus(sent), 'sent');
    const confirmed = afterReport(sent, { ...OLD, ...DAILY, ...MINUTES }, { arrived: 200 });
    assert.equal(syncStatus(confirmed), 'applied');
    assert.equal(syncStatus(afterReport(confirmed, { ...OLD, ...MINUTES }, { arrived: 300 })), 'drifted');
  });

  it('shows applied after any confirmation, even if the report leaves out previously drifted settings', () => {
    const drifted = afterReport(
      afterReport(known, RULES, { arrived: 5 }),
      { alarmRules: [] },
      { arrived: 10 },
    );
    assert.equal(syncStatus(drifted), 'drifted');
    const confirmed = afterReport(fetched(DAILY, drifted), DAILY, { arrived: 200 });
    assert.equal(confirmed.pending, null);
    assert.equal(syncStatus(confirmed), 'applied');
  });
});

describe('Reported configurations', () => {
  it('stores a reported configuration with the time of its arrival, not its own time', () => {
    const { reported } = afterReport(NEW_DEVICE, OLD, { arrived: 50, made: 20 });
    assert.deepEqual(reported?.config, OLD);
    assert.deepEqual(reported?.at, at(50));
  });

  it('replaces reported settings one by one, and keeps the others from before a partial report', () => {
    assert.deepEqual(afterReport(known, DAILY, { arrived: 10 }).reported?.config, { ...OLD, ...DAILY });
  });

  it('records reports that confirm nothing', () => {
    const stale = afterReport(fetched(DAILY), { ...OLD, ...MINUTES }, { arrived: 200, made: 90 });
    assert.deepEqual(stale.reported?.config, { ...OLD, ...MINUTES });
  });

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

  it('records nothing from a message that names no setting', () => {
    assert.equal(syncStatus(afterReport(NEW_DEVICE, {}, { arrived: 10 })), 'no_device_report');
    assert.deepEqual(afterReport(known, {}, { arrived: 10 }), known);
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

  it('merges a later change setting by setting, as a new revision that has to be fetched again', () => {
    const sync = merge(merge(fetched({ ...HOURLY, ...MINUTES }), DAILY), RULES);
    assert.deepEqual(sync.pending?.config, { ...MINUTES, ...DAILY, ...RULES });
    assert.equal(sync.pending?.fetchedAt, null);
    assert.equal(sync.revision, 3);
  });

  it('gives a new revision even for a merge that changes nothing', () => {
    const sync = merge(fetched(DAILY), DAILY);
    assert.equal(sync.revision, 2);
    assert.equal(syncStatus(sync), 'pending');
  });

  it('never uses a revision twice', () => {
    const confirmed = afterReport(fetched(DAILY), DAILY, { arrived: 200 });
    assert.equal(confirmed.revision, 1);
    assert.equal(merge(confirmed, DAILY).revision, 2);
    assert.equal(merge(withdraw(merge(known, DAILY), ['transmissionInterval']), DAILY).revision, 2);
  });

  it('counts a change as fetched from the first fetch, since the device may have acted on any of them', () => {
    const twice = fetch(fetched(DAILY), at(150));
    assert.deepEqual(twice.pending?.fetchedAt, at(100));
    assert.equal(afterReport(twice, DAILY, { arrived: 200, made: 120 }).pending, null);
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

  it('confirms a change by a report with the time of the fetch', () => {
    assert.equal(afterReport(fetched(DAILY), { ...OLD, ...DAILY }, { arrived: 100 }).pending, null);
  });

  it('confirms a change that was never fetched by a report that has all of its settings with equal values', () => {
    const pending = merge(known, { ...DAILY, ...RULES });
    const filled = { ...OLD, ...DAILY, alarmRules: [guard, DISABLED_RULE] };
    assert.equal(receive(pending, filled, { arrived: 50 }).outcome.kind, 'confirmed');
  });

  it('confirms no change that was never fetched while a setting of it is missing or differs', () => {
    const pending = merge(known, { ...DAILY, ...RULES });
    for (const config of [DAILY, RULES, {}, { ...OLD, ...RULES }, { ...DAILY, alarmRules: [] }]) {
      const { sync, outcome } = receive(pending, config, { arrived: 50 });
      assert.deepEqual(outcome, { kind: 'recorded' });
      assert.deepEqual(sync.pending, pending.pending);
      assert.equal(sync.revision, pending.revision);
    }
  });

  it('confirms nothing by a report without settings, even with errors that are older than the fetch', () => {
    for (const errors of [null, errorsMade('out of range', 99)]) {
      const { sync, outcome } = receive(fetched({ ...DAILY, ...RULES }), {}, { arrived: 200, errors });
      assert.deepEqual(outcome, { kind: 'recorded' });
      assert.equal(syncStatus(sync), 'sent');
    }
    const fresh = receive(fetched(DAILY), {}, { arrived: 200, errors: errorsMade('out of range', 150) });
    assert.equal(fresh.outcome.kind, 'rejected');
  });

  it('confirms nothing by a report from before the fetch that arrived after it', () => {
    const { sync, outcome } = receive(fetched({ ...DAILY, ...RULES }), DAILY, { arrived: 200, made: 99 });
    assert.deepEqual(outcome, { kind: 'recorded' });
    assert.equal(syncStatus(sync), 'sent');
  });

  it('confirms nothing by a report that arrived before the fetch, although the clock of the device is fast', () => {
    const { sync, outcome } = receive(fetched({ ...DAILY, ...RULES }), DAILY, { arrived: 99, made: 700 });
    assert.deepEqual(outcome, { kind: 'recorded' });
    assert.equal(syncStatus(sync), 'sent');
  });

  it('confirms a change by a report from before the fetch that has every setting with equal values', () => {
    const { outcome } = receive(
      fetched({ ...DAILY, ...RULES }),
      { ...DAILY, ...RULES },
      { arrived: 200, made: 50 },
    );
    assert.equal(outcome.kind, 'confirmed');
  });

  it('confirms nothing of a revision that was merged after the fetch', () => {
    const remerged = merge(fetched(DAILY), RULES);
    const { sync, outcome } = receive(remerged, { ...OLD, ...DAILY }, { arrived: 200 });
    assert.deepEqual(outcome, { kind: 'recorded' });
    assert.deepEqual(sync.pending?.config, { ...DAILY, ...RULES });
  });

  it('shows drifted when a device reports other values than it confirmed', () => {
    const confirmed = afterReport(fetched(DAILY), { ...OLD, ...DAILY }, { arrived: 200 });
    assert.deepEqual(confirmed.confirmed, { ...OLD, ...DAILY });
    assert.equal(syncStatus(afterReport(confirmed, OLD, { arrived: 300 })), 'drifted');
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

  it('counts no round when the change was not fetched again since the last contradiction', () => {
    let sync = fetched(DAILY);
    for (let repeat = 0; repeat < 10; repeat++) sync = afterReport(sync, OLD, { arrived: 200 + repeat });
    assert.equal(syncStatus(sync), 'pending');
    assert.equal(receive(fetch(sync, at(300)), OLD, { arrived: 310 }).outcome.kind, 'reoffered');
  });

  it('counts no round when the contradicting report was made before the fetch', () => {
    let sync = fetched(DAILY);
    for (let repeat = 0; repeat < 10; repeat++)
      sync = afterReport(sync, OLD, { arrived: 200 + repeat, made: 99 });
    assert.equal(syncStatus(sync), 'sent');
  });

  it('counts no round when the contradicting report arrived before the fetch, whatever its clock says', () => {
    const { sync, outcome } = receive(fetched(DAILY), OLD, { arrived: 99, made: 101 });
    assert.deepEqual(outcome, { kind: 'recorded' });
    assert.equal(syncStatus(sync), 'sent');
  });

  it('restarts the count of rounds after a merge', () => {
    let sync = known;
    for (let round = 1; round <= 6; round++) {
      if (round % 2 === 1) sync = merge(sync, DAILY);
      sync = afterReport(fetch(sync, at(round * 100)), OLD, { arrived: round * 100 + 10 });
      assert.equal(syncStatus(sync), 'pending', `after round ${round}`);
    }
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

  it('fails a change by an error even if the report contains the change', () => {
    const { outcome } = receive(fetched(DAILY), DAILY, { arrived: 110, errors: errorsMade('partly', 110) });
    assert.equal(outcome.kind, 'rejected');
  });

  it('ignores errors that are older than the fetch', () => {
    const { sync } = receive(
      fetched(DAILY),
      { ...OLD, ...DAILY },
      { arrived: 200, errors: errorsMade('old', 99) },
    );
    assert.equal(syncStatus(sync), 'applied');
  });

  it('ignores errors while the change is not fetched', () => {
    const { sync } = receive(merge(known, DAILY), OLD, { arrived: 110, errors: errorsMade('old', 110) });
    assert.equal(syncStatus(sync), 'pending');
  });

  it('ignores errors while nothing is pending', () => {
    assert.equal(
      syncStatus(afterReport(known, OLD, { arrived: 110, errors: errorsMade('whatever', 110) })),
      'applied',
    );
  });

  it('accepts errors over CoAP from up to 60 seconds before the fetch, and not a second more', () => {
    const outcomeOf = (made: number) =>
      receive(fetched(DAILY), {}, { arrived: 110, made: 50, errors: errorsMade('x', made, COAP_SLACK_MS) })
        .outcome;
    assert.equal(outcomeOf(40).kind, 'rejected');
    assert.equal(outcomeOf(39).kind, 'recorded');
  });

  it('ignores errors that a device keeps repeating when the next change is pending', () => {
    const again = fetch(merge(refused, MINUTES), at(300));
    const repeated = errorsMade('out of range', 110, COAP_SLACK_MS);
    const { outcome } = receive(again, { ...OLD, ...DAILY, ...MINUTES }, { arrived: 400, errors: repeated });
    assert.equal(outcome.kind, 'confirmed');
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

  it('cuts the reason to 500 characters', () => {
    const errors = errorsNow(...Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(200, 'x')));
    const { sync } = receive(fetched(DAILY), OLD, { arrived: 110, errors });
    assert.equal(sync.pending?.refusal?.reason.length, 500);
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

  it('shows a change as failed again when the other settings are withdrawn', () => {
    const sync = withdraw(merge(refused, MINUTES), ['measurementPeriodBase']);
    assert.deepEqual([syncStatus(sync), offered(sync)], ['failed', null]);
    assert.deepEqual(sync.pending?.refusal, refused.pending?.refusal);
  });

  it('fails the other settings, too, when the device refuses these', () => {
    const sent = fetch(merge(refused, MINUTES), at(300));
    const sync = afterReport(sent, OLD, { arrived: 310, errors: errorsMade('neither', 310) });
    assert.equal(syncStatus(sync), 'failed');
    assert.deepEqual(sync.pending?.config, { ...DAILY, ...MINUTES });
    assert.match(sync.pending?.refusal?.reason ?? '', /neither/);
  });

  it('confirms a failed change by a report that has all of its settings with equal values', () => {
    const { sync, outcome } = receive(refused, { ...OLD, ...DAILY }, { arrived: 300 });
    assert.equal(outcome.kind, 'confirmed');
    assert.equal(syncStatus(sync), 'applied');
  });

  it('confirms no failed change by a report that leaves a setting out, however new', () => {
    const both = afterReport(
      fetched({ ...DAILY, ...RULES }),
      {},
      { arrived: 110, errors: errorsMade('no', 110) },
    );
    const { sync, outcome } = receive(both, { ...OLD, ...DAILY }, { arrived: 300 });
    assert.deepEqual(outcome, { kind: 'recorded' });
    assert.equal(syncStatus(sync), 'failed');
  });

  it('keeps the first reason of a failed change', () => {
    const again = afterReport(refused, OLD, { arrived: 300, errors: errorsMade('something else', 300) });
    assert.deepEqual(again.pending?.refusal, refused.pending?.refusal);
  });
});

describe('Withdrawing settings', () => {
  it('leaves the other settings pending as a new revision when some are withdrawn', () => {
    const sync = withdraw(fetched({ ...DAILY, ...RULES }), ['transmissionInterval']);
    assert.deepEqual(sync.pending, { config: RULES, fetchedAt: null, contradictions: 0, refusal: null });
    assert.equal(sync.revision, 2);
  });

  it('leaves nothing pending when all settings are withdrawn', () => {
    const sync = withdraw(fetched(DAILY), ['transmissionInterval', 'alarmRules']);
    assert.equal(sync.pending, null);
    assert.equal(syncStatus(sync), 'applied');
  });

  it('restores nothing that a withdrawn change had overwritten', () => {
    const sync = withdraw(merge(merge(known, HOURLY), DAILY), ['transmissionInterval']);
    assert.equal(sync.pending, null);
  });

  it('shows a device as drifted that had fetched a withdrawn change and applies it', () => {
    const withdrawn = withdraw(fetched(DAILY), ['transmissionInterval']);
    assert.equal(syncStatus(afterReport(withdrawn, { ...OLD, ...DAILY }, { arrived: 200 })), 'drifted');
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

  it('keeps the reported configuration of the old hardware until the new one reports', () => {
    const sync = replaceHardware(fridge);
    assert.deepEqual(sync.reported, fridge.reported);
    assert.deepEqual(sync.pending?.config, { ...OLD, ...RULES });
  });

  it('offers new hardware the confirmed configuration, not the drifted one', () => {
    const drifted = afterReport(fridge, { ...OLD, ...DAILY, ...RULES }, { arrived: 250 });
    assert.deepEqual(replaceHardware(drifted).pending?.config, { ...OLD, ...RULES });
  });

  it('offers new hardware a change that the old one had refused', () => {
    const sync = replaceHardware(refused);
    assert.deepEqual(offered(sync)?.config, { ...OLD, ...DAILY });
    assert.equal(syncStatus(sync), 'pending');
  });

  it('keeps no_device_report and the pending change when hardware that never reported is replaced', () => {
    assert.equal(syncStatus(replaceHardware(merge(NEW_DEVICE, DAILY))), 'no_device_report');
    assert.deepEqual(offered(replaceHardware(merge(NEW_DEVICE, DAILY)))?.config, DAILY);
    assert.equal(replaceHardware(NEW_DEVICE).pending, null);
  });

  it('offers new hardware nothing when the old one had confirmed nothing', () => {
    const empty = afterReport(NEW_DEVICE, {}, { arrived: 0 });
    assert.equal(replaceHardware(empty).pending, null);
  });

  it('counts the factory settings of new hardware as no contradiction before its first fetch', () => {
    const factory = { ...OLD, alarmRules: [] };
    const reported = receive(replaceHardware(fridge), factory, { arrived: 400 });
    assert.deepEqual(reported.outcome, { kind: 'recorded' });
    const applied = afterReport(fetch(reported.sync, at(410)), { ...OLD, ...RULES }, { arrived: 420 });
    assert.equal(syncStatus(applied), 'applied');
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

  it('offers what is pending with its revision, and nothing that the device refused', () => {
    assert.deepEqual(offered(device({})), { revision: 3, config: DAILY });
    const pending = { ...waiting, fetchedAt: at(100), refusal: REFUSAL };
    assert.equal(offered(device({ pending })), null);
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
