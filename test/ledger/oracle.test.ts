/** The oracle finds each single fault in a run that is otherwise correct. */
import assert from 'node:assert/strict';
import { checkRun, type RunRecords } from '../../dev/ledger/oracle.ts';
import { readingKey } from '../../dev/ledger/readings-oracle.ts';
import type {
  LedgerReading,
  Receipt,
  StoredAlert,
  StoredDevice,
  StoredJob,
} from '../../dev/ledger/records.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 8, 0, second)).toISOString();
const reading = (second: number, value: number): LedgerReading => ({
  channel: 1,
  type: 'temperature',
  value,
  measuredAt: at(second),
});
const mark = { highC: 5, hysteresisC: 0.5 };
const config = { measurementPeriodBase: 60 };

interface World {
  records: RunRecords & { receipts: Receipt[]; memory: Array<RunRecords['memory'][number]> };
  stored: { devices: StoredDevice[]; jobs: StoredJob[]; alerts: StoredAlert[] };
}

/** A device with two readings and one alert, an applied job, and a receiver that got everything. */
function rightWorld(): World {
  const readings = [reading(1, 4), reading(2, 6)];
  const device: StoredDevice = {
    serialNumber: 'A',
    assetId: 'asset-a',
    status: 'online',
    syncStatus: 'applied',
    deviceConfig: config,
    pendingConfig: null,
    readings,
  };
  const alert: StoredAlert = {
    id: 'alert-1',
    assetId: 'asset-a',
    serialNumber: 'A',
    type: 'high_temp',
    status: 'new',
    details: { channel: 1, value: 6, bounds: { highC: 5, lowC: null } },
    timestamp: at(2),
    escalation: { id: 'escalation-1', step: 1, nextStepAt: at(63) },
    history: [
      { at: at(3), action: 'opened', comment: null },
      { at: at(3), action: 'escalated', comment: 'step 1 of 2: webhook http://nurse' },
    ],
  };
  const job: StoredJob = {
    id: 'job-1',
    status: 'succeeded',
    total: 1,
    counts: { applied: 1, failed: 0, timedOut: 0 },
    finishedAt: at(11),
    targets: [{ assetId: 'asset-a', serialNumber: 'A', state: 'applied', reason: null, updatedAt: at(10) }],
  };
  return {
    records: {
      sent: new Map([
        ['A', new Map(readings.map((each) => [readingKey(each), { reading: each, isAcknowledged: true }]))],
      ]),
      jobs: [{ jobId: 'job-1', mark, serials: ['A'], isCancelled: false }],
      faultsEndedAt: at(0),
      actual: [{ serialNumber: 'A', config, refuses: false, reported: [mark] }],
      receipts: [
        receipt('e1', 'data.measurement', { serialNumber: 'A', readings }),
        receipt('e2', 'alert.created', { id: 'alert-1' }),
        receipt('e3', 'config.applied', { jobId: 'job-1', assetId: 'asset-a' }),
        receipt('e4', 'config.job.finished', { id: 'job-1' }),
        step('e5', 'nurse'),
        // The process was killed between sending and recording.
        step('e5', 'nurse'),
      ],
      subscriptions: [
        {
          receiver: 'healthy',
          kind: 'healthy',
          types: ['data.measurement', 'alert.created', 'config.applied', 'config.job.finished'],
          isComplete: true,
        },
      ],
      escalation: {
        id: 'escalation-1',
        steps: [
          { afterMinutes: 0, receiver: 'nurse' },
          { afterMinutes: 1, receiver: 'head' },
        ],
      },
      readAt: at(30),
      memory: [],
      findings: [],
    },
    stored: { devices: [device], jobs: [job], alerts: [alert] },
  };
}

const receipt = (eventId: string, type: string, data: object): Receipt => ({
  receiver: 'healthy',
  at: at(29),
  eventId,
  type,
  body: JSON.stringify({ type, data }),
  isSigned: true,
  answered: 204,
  invalid: null,
});

const step = (eventId: string, receiver: string): Receipt => ({
  ...receipt(eventId, 'notification', { alerts: [{ change: 'escalated', alert: { id: 'alert-1' } }] }),
  receiver,
});

const first = <T>(items: readonly T[]): T => items[0] as T;
const device = ({ stored }: World) => first(stored.devices);
const job = ({ stored }: World) => first(stored.jobs);
const target = (world: World) => first(job(world).targets);
const alert = ({ stored }: World) => first(stored.alerts);
const history = (world: World) => alert(world).history ?? [];
const rewrite = (world: World, eventId: string, data: object) => {
  const found = world.records.receipts.find((each) => each.eventId === eventId) as Receipt;
  found.body = JSON.stringify({ type: found.type, data });
};
/** The alert did not escalate, and was resolved at that time. */
const resolvedAt = (world: World, second: number): void => {
  const resolved = { at: at(second), action: 'resolved', comment: null };
  Object.assign(alert(world), { escalation: null, history: [first(history(world)), resolved] });
  world.records.receipts.splice(4, 2);
};
/** An excursion in late data; its extreme is the reading that the alert begins with. */
const late = (more: Partial<StoredAlert> = {}): Partial<StoredAlert> => ({
  late: true,
  endedAt: at(3),
  extreme: { value: 6, at: at(2) },
  ...more,
});

/** The device runs the rule, and the alert is over. */
function withoutAlert(world: World): void {
  const rule = { condition: 'HIGH_THRESHOLD', threshold: 5, hysteresis: 0.5, slotNumbers: [0] };
  Object.assign(device(world), { deviceConfig: { alarmRules: [rule] } });
  Object.assign(alert(world), { status: 'resolved' });
}
const samples = (fromMs: number, rssMb: number) =>
  Array.from({ length: 10 }, (_, index) => ({
    kind: 'api' as const,
    pid: 1,
    atMs: fromMs + index * 1000,
    rssMb,
    ageMs: 60_000,
  }));

/** The change to the records, its subject, and the expected finding. */
const WRONGS: Array<[about: string, says: RegExp, wrong: (world: World) => void]> = [
  ['readings', /acknowledged and is not stored/, (world) => void device(world).readings.shift()],
  ['readings', /stored twice/, (world) => device(world).readings.push(reading(1, 4))],
  ['readings', /never sent/, (world) => device(world).readings.push(reading(9, 4))],
  ['readings', /sent as 4 and is stored as 3/, (world) => device(world).readings.splice(0, 1, reading(1, 3))],
  ['presence', /transmits and is offline/, (world) => Object.assign(device(world), { status: 'offline' })],
  [
    'reports',
    /another configuration/,
    (world) => Object.assign(device(world), { deviceConfig: { measurementPeriodBase: 61 } }),
  ],
  [
    'reports',
    /still sent/,
    (world) => Object.assign(device(world), { syncStatus: 'sent', pendingConfig: {} }),
  ],
  [
    'reports',
    /applied with something pending/,
    (world) => Object.assign(device(world), { pendingConfig: {} }),
  ],
  ['jobs', /was acknowledged and is gone/, (world) => void world.stored.jobs.pop()],
  ['jobs', /never acknowledged/, (world) => void world.stored.jobs.push({ ...job(world), id: 'job-2' })],
  ['jobs', /has not ended/, (world) => Object.assign(job(world), { status: 'running' })],
  ['jobs', /counts 2 applied/, (world) => Object.assign(job(world), { counts: { applied: 2 }, total: 2 })],
  [
    'jobs',
    /which never reported it/,
    (world) => Object.assign(first(world.records.actual), { reported: [{ ...mark, highC: 6 }] }),
  ],
  ['jobs', /nobody asked for it/, (world) => Object.assign(job(world), { status: 'cancelled' })],
  ['jobs', /stood still for 120 s/, (world) => Object.assign(job(world), { finishedAt: at(130) })],
  ['alerts', /second open one/, (world) => void world.stored.alerts.push({ ...alert(world), id: 'alert-2' })],
  ['alerts', /never sent/, (world) => Object.assign(alert(world), { timestamp: at(7) })],
  [
    'alerts',
    /within its bounds/,
    (world) => Object.assign(alert(world).details, { bounds: { highC: 7, lowC: null } }),
  ],
  ['alerts', /is late, and new/, (world) => Object.assign(alert(world), late())],
  [
    'alerts',
    /has the extreme 9, and 6 was sent/,
    (world) => Object.assign(alert(world), late({ extreme: { value: 9, at: at(2) } })),
  ],
  [
    'alerts',
    /has an extreme outside of its time/,
    (world) => Object.assign(alert(world), late({ endedAt: at(1) })),
  ],
  [
    'alerts',
    /overlaps another excursion in late data/,
    (world) => {
      Object.assign(alert(world), late());
      world.stored.alerts.push({ ...alert(world), id: 'alert-2' });
    },
  ],
  ['alerts', /is away, which transmits/, (world) => Object.assign(alert(world), { type: 'no_data' })],
  [
    'alerts',
    /is open, and the newest reading is 2/,
    (world) => {
      first(device(world).readings).measuredAt = at(3);
      first(device(world).readings).value = 2;
    },
  ],
  [
    'alerts',
    /measures 6 °C above 5 °C without an alert/,
    (world) => {
      withoutAlert(world);
      target(world).updatedAt = at(1);
    },
  ],
  ['events', /never got alert.created alert-1/, (world) => void world.records.receipts.splice(1, 1)],
  [
    'events',
    /never got reading A/,
    (world) => Object.assign(first(world.records.receipts), { answered: 500 }),
  ],
  [
    'events',
    /is two events, e2 and e9/,
    (world) => void world.records.receipts.push(receipt('e9', 'alert.created', { id: 'alert-1' })),
  ],
  [
    'events',
    /two bodies/,
    (world) => void world.records.receipts.push(receipt('e2', 'alert.created', { id: 'alert-1', more: 1 })),
  ],
  [
    'events',
    /says what is not so: alert.created alert-5/,
    (world) => rewrite(world, 'e2', { id: 'alert-5' }),
  ],
  ['events', /wrong signature/, (world) => Object.assign(first(world.records.receipts), { isSigned: false })],
  [
    'events',
    /not as documented: data/,
    (world) => Object.assign(first(world.records.receipts), { invalid: 'data' }),
  ],
  ['alerts', /names an alert twice/, (world) => void world.stored.alerts.push(alert(world))],
  ['alerts', /of an unknown device/, (world) => Object.assign(alert(world), { assetId: 'asset-z' })],
  ['alerts', /began with 7, and 6 was sent/, (world) => Object.assign(alert(world).details, { value: 7 })],
  ['reports', /not registered any more/, (world) => void world.stored.devices.pop()],
  ['presence', /registered twice/, (world) => void world.stored.devices.push(device(world))],
  [
    'presence',
    /never transmitted: online/,
    (world) => Object.assign(first(world.records.actual), { config: null }),
  ],
  [
    'reports',
    /never reported and is applied/,
    (world) => Object.assign(first(world.records.actual), { config: null }),
  ],
  ['jobs', /names a job twice/, (world) => void world.stored.jobs.push(job(world))],
  ['jobs', /has 2 devices, 1 counted and 1 targets/, (world) => Object.assign(job(world), { total: 2 })],
  ['jobs', /has ended with a target sent/, (world) => Object.assign(target(world), { state: 'sent' })],
  ['jobs', /succeeded with 1 failures/, (world) => Object.assign(target(world), { state: 'failed' })],
  ['jobs', /other devices than were asked for/, (world) => first(world.records.jobs).serials?.push('B')],
  [
    'jobs',
    /succeeded and has A as cancelled/,
    (world) => Object.assign(target(world), { state: 'cancelled' }),
  ],
  [
    'reports',
    /A is applied, and sent in lists/,
    (world) => Object.assign(world.stored.devices[0] as StoredDevice, { listedSyncStatus: 'sent' }),
  ],
  [
    'memory',
    /api grew from 200 to 500 MB/,
    (world) => void world.records.memory.push(...samples(40_000, 200), ...samples(80_000, 500)),
  ],
  [
    'escalations',
    /escalates, though it is an excursion in late data/,
    (world) => Object.assign(alert(world), { late: true }),
  ],
  ['escalations', /does not escalate/, (world) => Object.assign(alert(world), { escalation: null })],
  ['escalations', /does not escalate/, (world) => resolvedAt(world, 4)],
  ['escalations', /shows 1 steps, and 0 in its history/, (world) => void alert(world).history?.pop()],
  [
    'escalations',
    /shows 1 steps, and 2 in its history/,
    (world) => void history(world).push({ ...first(history(world)), action: 'escalated' }),
  ],
  [
    'escalations',
    /has "step 2 of 2: webhook" as its step 1/,
    (world) => Object.assign(history(world)[1] ?? {}, { comment: 'step 2 of 2: webhook' }),
  ],
  [
    'escalations',
    /made step 2 too early/,
    (world) =>
      void history(world).push({
        at: at(20),
        action: 'escalated',
        comment: 'step 2 of 2: webhook http://head',
      }),
  ],
  [
    'escalations',
    /made a step after it was acknowledged/,
    (world) => void history(world).splice(1, 0, { at: at(3), action: 'acknowledged', comment: null }),
  ],
  ['escalations', /reached "nurse" 0 times, not 1/, (world) => void world.records.receipts.splice(4, 2)],
  [
    'escalations',
    /reached "nurse" 2 times, not 1/,
    (world) => void world.records.receipts.push(step('e6', 'nurse')),
  ],
  [
    'escalations',
    /reached "head" 1 times, not 0/,
    (world) => void world.records.receipts.push(step('e6', 'head')),
  ],
  ['escalations', /waits for a step of 2026/, (world) => Object.assign(world.records, { readAt: at(120) })],
];

describe('The oracle of the ledger', () => {
  it('finds nothing in a correct run', () => {
    const { records, stored } = rightWorld();
    assert.deepEqual(checkRun(records, stored).findings, []);
  });

  it('accepts a step that arrives after the alerts were read without it', () => {
    const { records, stored } = rightWorld();
    records.receipts.push({ ...step('e6', 'head'), at: at(31) });
    assert.deepEqual(checkRun(records, stored).findings, []);
  });

  for (const [about, says, wrong] of WRONGS) {
    it(`finds in ${about}: ${says.source}`, () => {
      const world = rightWorld();
      wrong(world);
      const { findings } = checkRun(world.records, world.stored);
      const texts = findings.filter((finding) => finding.about === about).map(({ text }) => text);
      assert.ok(
        texts.some((text) => says.test(text)),
        JSON.stringify(findings),
      );
    });
  }

  it('compares the memory of a run of a whole day', () => {
    const { records, stored } = rightWorld();
    const day = Array.from({ length: 200_000 }, (_, index) => ({
      kind: 'worker' as const,
      pid: 2,
      atMs: index * 432,
      rssMb: index < 150_000 ? 200 : 500,
      ageMs: 60_000,
    }));
    records.memory.push(...day.slice(0, 100_000));
    records.memory.push(...day.slice(100_000));
    assert.match(JSON.stringify(checkRun(records, stored).findings), /worker grew from 200 to 500 MB/);
  });

  it('requires nothing of a receiver that may miss events', () => {
    const { records, stored } = rightWorld();
    const subscriptions = records.subscriptions.map((each) => ({ ...each, isComplete: false }));
    const others = { subscriptions, receipts: [], escalation: null };
    assert.deepEqual(checkRun({ ...records, ...others }, stored).findings, []);
  });

  it('requires no alert for a reading from before the rules', () => {
    const world = rightWorld();
    withoutAlert(world);
    assert.deepEqual(
      checkRun(world.records, world.stored).findings.filter(({ about }) => about === 'alerts'),
      [],
    );
  });

  it('requires no escalation of an alert that was over when it was recorded', () => {
    for (const second of [2, 3]) {
      const world = rightWorld();
      resolvedAt(world, second);
      const { findings } = checkRun(world.records, world.stored);
      assert.deepEqual(
        findings.filter(({ about }) => about === 'escalations'),
        [],
      );
    }
  });

  it('accepts a repeated request of the same event', () => {
    const { records, stored } = rightWorld();
    const receipts = [...records.receipts, ...records.receipts];
    assert.deepEqual(checkRun({ ...records, receipts }, stored).findings, []);
  });
});
