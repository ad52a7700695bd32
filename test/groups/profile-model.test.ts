/**
 * Random sequences of actions of customers and devices on two groups, compared with a model that tracks what
 * each device runs, the owners of each pending setting, and whether the device refused it. Changes of many
 * members come in chunks, and must have the same result. GROUP_RUNS sets the number of sequences, GROUP_STEPS
 * their length.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { configOf, createProfile, FACTORY, register, report } from '../support/fleet.ts';
import { type TestOrganization, useService } from '../support/service.ts';
import { useSteps } from '../support/steps.ts';

const RUNS = Number(process.env.GROUP_RUNS ?? 8);
const STEPS_MAX = Number(process.env.GROUP_STEPS ?? 16);
const SERIALS = ['A', 'B', 'C'] as const;
const MODES = [
  { how: 'at once', settings: {}, isChunked: false },
  {
    how: 'in chunks of one device, from two members on',
    settings: { applyChunkSize: 1, largeJobDevices: 1 },
    isChunked: true,
  },
];
const TEN_MINUTES = { measurementPeriodBase: 600, measurementPeriodFactor: 1 };
const CHANGES = {
  daily: { transmissionInterval: 86_400 },
  weekly: { transmissionInterval: 604_800 },
  often: TEN_MINUTES,
  'often, daily': { ...TEN_MINUTES, transmissionInterval: 86_400 },
} as const;
const PROFILES: Record<Slug, object> = {
  daily: { transmissionIntervalSeconds: 86_400 },
  weekly: { transmissionIntervalSeconds: 604_800 },
  often: { measurementIntervalMinutes: 10 },
  'often, daily': { measurementIntervalMinutes: 10, transmissionIntervalSeconds: 86_400 },
};
type Slug = keyof typeof CHANGES;
type Serial = (typeof SERIALS)[number];
type Settings = Record<string, number>;

/** One device of a job. */
interface ModelTarget {
  /** Null for an apply. */
  group: number | null;
  isOpen: boolean;
  hasFailed: boolean;
}

interface ModelDevice {
  group: number | null;
  runs: Settings;
  pending: Map<string, { value: number; owners: Set<ModelTarget>; isRefused: boolean }>;
  /** Owners by applies, the last apply at the end. */
  applies: ModelTarget[];
}

interface Model {
  /** A change of more than one member is offered by the run of its job. */
  isChunked: boolean;
  slugs: Array<Slug | null>;
  devices: Record<Serial, ModelDevice>;
}

type Step =
  | { do: 'join'; serial: Serial; group: number }
  | { do: 'leave' | 'confirm' | 'refuse' | 'cancel' | 'withdraw'; serial: Serial }
  | { do: 'apply'; serial: Serial; slug: Slug }
  | { do: 'name'; group: number; slug: Slug | null }
  | { do: 'expire' };

const serials = fc.constantFrom(...SERIALS);
const slugs = fc.constantFrom(...(Object.keys(CHANGES) as Slug[]));
const groups = fc.nat(1);
const steps = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('join'), serial: serials, group: groups }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('leave', 'confirm', 'refuse', 'cancel', 'withdraw'),
      serial: serials,
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('apply'), serial: serials, slug: slugs }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('name'), group: groups, slug: fc.option(slugs, { freq: 8 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire') }) },
) as fc.Arbitrary<Step>;

/**
 * Cases that are rare in random sequences of this length: naming a profile again for members that refused it,
 * or had another one.
 */
const RARE: [Step[]][] = [
  [
    [
      { do: 'name', group: 0, slug: 'daily' },
      { do: 'join', serial: 'A', group: 0 },
      { do: 'refuse', serial: 'A' },
      { do: 'name', group: 0, slug: 'daily' },
      { do: 'apply', serial: 'A', slug: 'daily' },
      { do: 'leave', serial: 'A' },
      { do: 'confirm', serial: 'A' },
      { do: 'join', serial: 'A', group: 0 },
    ],
  ],
  [
    [
      { do: 'join', serial: 'A', group: 1 },
      { do: 'name', group: 1, slug: 'daily' },
      { do: 'confirm', serial: 'A' },
      { do: 'name', group: 1, slug: 'weekly' },
      { do: 'join', serial: 'B', group: 1 },
      { do: 'name', group: 1, slug: 'daily' },
      { do: 'leave', serial: 'A' },
    ],
  ],
  [
    [
      { do: 'join', serial: 'A', group: 0 },
      { do: 'name', group: 0, slug: 'often, daily' },
      { do: 'confirm', serial: 'A' },
      { do: 'apply', serial: 'A', slug: 'weekly' },
      { do: 'name', group: 0, slug: 'often, daily' },
      { do: 'refuse', serial: 'A' },
      { do: 'apply', serial: 'A', slug: 'often' },
      { do: 'cancel', serial: 'A' },
      { do: 'name', group: 0, slug: 'weekly' },
      { do: 'name', group: 0, slug: null },
    ],
  ],
];

const newModel = (isChunked: boolean): Model => ({
  isChunked,
  slugs: [null, null],
  devices: Object.fromEntries(
    SERIALS.map((serial) => [serial, { group: null, runs: {}, pending: new Map(), applies: [] }]),
  ) as unknown as Model['devices'],
});

function put(device: ModelDevice, change: Settings, group: number | null): void {
  const target: ModelTarget = { group, isOpen: true, hasFailed: false };
  for (const [key, value] of Object.entries(change)) {
    const before = device.pending.get(key);
    if (before && before.value !== value) for (const owner of before.owners) owner.isOpen = false;
    const owners = before?.value === value ? before.owners : [];
    device.pending.set(key, { value, owners: new Set([...owners, target]), isRefused: false });
  }
  if (group === null) device.applies.push(target);
}

function lacks(device: ModelDevice, slug: Slug): boolean {
  const runs = (key: string) => device.pending.get(key)?.value ?? device.runs[key];
  return Object.entries(CHANGES[slug]).some(([key, value]) => runs(key) !== value);
}

/** Offers the profile to a member that lacks it. */
function offer(device: ModelDevice, { slugs }: Model): void {
  const slug = device.group === null ? null : (slugs[device.group] ?? null);
  if (slug !== null && lacks(device, slug)) put(device, CHANGES[slug], device.group);
}

/**
 * Members with changes of the earlier profile are in a job that is offered in chunks even where they run the other one: what
 * they run is known only after the withdrawal.
 */
function offerOther(members: ModelDevice[], model: Model, group: number, slug: Slug): void {
  const isOwned = ({ pending }: ModelDevice) =>
    [...pending.values()].some(({ owners }) => [...owners].some((owner) => owner.group === group));
  const included = members.filter((member) => isOwned(member) || lacks(member, slug));
  members.forEach(leave);
  if (model.isChunked && included.length > 1)
    for (const member of included) put(member, CHANGES[slug], group);
  else for (const member of members) offer(member, model);
}

function end({ pending }: ModelDevice, isEnding: (target: ModelTarget) => boolean): void {
  for (const [key, setting] of pending) {
    const ending = [...setting.owners].filter(isEnding);
    for (const target of ending) target.isOpen = false;
    for (const target of ending) setting.owners.delete(target);
    if (ending.length === 0) continue;
    if (setting.owners.size === 0) pending.delete(key);
    else if ([...setting.owners].every(({ hasFailed }) => hasFailed)) setting.isRefused = true;
  }
}

const offeredTo = ({ pending }: ModelDevice): Settings =>
  Object.fromEntries(
    [...pending].flatMap(([key, { value, isRefused }]) => (isRefused ? [] : [[key, value]])),
  );

function settle(device: ModelDevice): void {
  for (const [key, value] of Object.entries(offeredTo(device))) {
    device.runs[key] = value;
    device.pending.delete(key);
  }
  const owners = new Set([...device.pending.values()].flatMap((setting) => [...setting.owners]));
  for (const target of device.applies) if (!owners.has(target)) target.isOpen = false;
}

function refuseAll({ pending }: ModelDevice): void {
  for (const setting of pending.values()) {
    setting.isRefused = true;
    for (const target of setting.owners) if (target.isOpen) target.hasFailed = true;
  }
  for (const { owners } of pending.values()) for (const target of owners) target.isOpen = false;
}

const leave = (device: ModelDevice) => end(device, ({ group }) => group !== null && group === device.group);

function advance(model: Model, step: Step): void {
  const devices = Object.values(model.devices);
  if (step.do === 'expire') {
    for (const { pending } of devices)
      for (const { owners } of pending.values()) for (const target of owners) target.isOpen = false;
    return;
  }
  if (step.do === 'name') {
    const members = devices.filter(({ group }) => group === step.group);
    const isOther = step.slug !== model.slugs[step.group];
    model.slugs[step.group] = step.slug;
    if (isOther && step.slug !== null) offerOther(members, model, step.group, step.slug);
    else if (isOther) members.forEach(leave);
    else for (const member of members) offer(member, model);
    return;
  }
  const device = model.devices[step.serial];
  if (step.do === 'apply') put(device, CHANGES[step.slug], null);
  else if (step.do === 'withdraw') end(device, () => true);
  else if (step.do === 'cancel') {
    const target = device.applies.at(-1);
    if (target?.isOpen) end(device, (each) => each === target);
  } else if (step.do === 'leave') {
    leave(device);
    device.group = null;
  } else if (step.do === 'join' && device.group !== step.group) {
    leave(device);
    device.group = step.group;
    offer(device, model);
  } else if (Object.keys(offeredTo(device)).length > 0) {
    if (step.do === 'confirm') settle(device);
    else if (step.do === 'refuse') refuseAll(device);
  }
  if (step.do === 'withdraw') device.pending.clear();
}

for (const { how, settings, isChunked } of MODES)
  describe(`The profile of a group, offered ${how}, in any order of events`, function () {
    this.timeout(60_000 + RUNS * STEPS_MAX * 1_000);

    const dms = useService({ withWorker: false, settings });
    const worker = useSteps(dms);

    interface Fleet {
      org: TestOrganization;
      groups: string[];
      slugs: Record<Slug, string>;
      /** The last apply to each device. */
      jobs: Partial<Record<Serial, string>>;
    }

    async function start(): Promise<Fleet> {
      // Each step would look at jobs that an earlier sequence has left open.
      await worker.expireJobs();
      const org = await dms.addOrganization();
      const slugs = {} as Record<Slug, string>;
      for (const [name, intervals] of Object.entries(PROFILES))
        slugs[name as Slug] = await createProfile(org, { slug: name.replace(', ', '-'), intervals });
      for (const serial of SERIALS) await register(org, serial);
      const groups = [];
      for (const name of ['Fridges', 'Cellars'])
        groups.push((await org.api.post('/groups', { name })).body.id);
      return { org, groups, slugs, jobs: {} };
    }

    /** A code that a device repeats counts once. */
    let refusals = 0;

    async function act(fleet: Fleet, step: Step, before: Model): Promise<void> {
      const { org, groups, slugs, jobs } = fleet;
      const change = async (path: string, body: object, method: 'post' | 'patch' | 'put' = 'post') => {
        const answer = await org.api[method](path, body);
        assert.equal(answer.status, 200, answer.text);
        return answer.body;
      };
      if (step.do === 'expire') return worker.expireJobs();
      if (step.do === 'name') {
        const profileSlug = step.slug && slugs[step.slug];
        return change(`/groups/${groups[step.group]}`, { profileSlug }, 'patch');
      }
      const { serial } = step;
      const device = before.devices[serial];
      const serialNumbers = [serial];
      if (step.do === 'join') return change(`/groups/${groups[step.group]}/add-members`, { serialNumbers });
      if (step.do === 'leave') {
        if (device.group === null) return;
        return change(`/groups/${groups[device.group]}/remove-members`, { serialNumbers });
      }
      if (step.do === 'apply') {
        const path = `/devices/config-profiles/${slugs[step.slug]}/apply`;
        jobs[serial] = (await change(path, { serialNumbers }, 'put')).jobId;
        return;
      }
      if (step.do === 'withdraw') return change(`/devices/${serial}/config/withdraw`, {});
      if (step.do === 'cancel') {
        if (jobs[serial] === undefined) return;
        const { status } = await org.api.post(`/devices/config-jobs/${jobs[serial]}/cancel`);
        assert.equal(status, device.applies.at(-1)?.isOpen ? 200 : 409);
        return;
      }
      const offer = offeredTo(device);
      if (Object.keys(offer).length === 0) return;
      const { body } = await org.device.get(`/devices/${serial}/pending-config`);
      assert.deepEqual(body.config, offer);
      const present = { ...FACTORY, ...device.runs };
      if (step.do === 'confirm') await report(org, serial, { ...present, ...offer });
      else await report(org, serial, { ...present, errors: [{ code: ++refusals, message: 'no' }] });
    }

    const seen = async (org: TestOrganization, serial: string) => {
      const { pendingConfig, syncStatus } = await configOf(org, serial);
      return { pending: pendingConfig ?? {}, isRefused: syncStatus === 'failed' };
    };
    const expected = ({ pending }: ModelDevice) => ({
      pending: Object.fromEntries([...pending].map(([key, { value }]) => [key, value])),
      isRefused: pending.size > 0 && [...pending.values()].every(({ isRefused }) => isRefused),
    });

    it('leaves exactly the settings pending that groups and applies own on each device', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 6, maxLength: STEPS_MAX }), async (sequence) => {
          const fleet = await start();
          const model = newModel(isChunked);
          for (const [index, step] of sequence.entries()) {
            await act(fleet, step, model);
            advance(model, step);
            await worker.work();
            for (const serial of SERIALS) {
              const what = `${serial} after ${JSON.stringify(sequence.slice(0, index + 1))}`;
              assert.deepEqual(await seen(fleet.org, serial), expected(model.devices[serial]), what);
            }
          }
        }),
        { numRuns: RUNS, examples: RARE },
      );
    });
  });
