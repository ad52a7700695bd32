/**
 * Random sequences of what customers and devices do to one group, against a model that knows no jobs: of each device
 * what it runs, what is pending, for whom, and whether it refused it. What a change does to many members comes in chunks,
 * and has to end the same.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyAnswer, configOf, createProfile, FACTORY, register, report } from '../support/fleet.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';
import { openSteps, type Steps } from '../support/steps.ts';

const RUNS = 8;
const SERIALS = ['A', 'B', 'C'] as const;
const MODES = [
  { how: 'at once', settings: {} },
  {
    how: 'in chunks of one device, from two members on',
    settings: { applyChunkSize: 1, largeJobDevices: 1 },
  },
];
const INTERVALS = { daily: 86_400, weekly: 604_800 } as const;
type Slug = keyof typeof INTERVALS;
type Serial = (typeof SERIALS)[number];

interface ModelDevice {
  isMember: boolean;
  runs: number | null;
  pending: number | null;
  isRefused: boolean;
  /** Who wants what is pending: whoever wanted another value is superseded. */
  wantedByGroup: boolean;
  wantedByApply: boolean;
}

interface Model {
  slug: Slug | null;
  devices: Record<Serial, ModelDevice>;
}

type Step =
  | { do: 'join' | 'leave' | 'confirm' | 'refuse'; serial: Serial }
  | { do: 'apply'; serial: Serial; slug: Slug }
  | { do: 'name'; slug: Slug | null };

const serials = fc.constantFrom(...SERIALS);
const slugs = fc.constantFrom<Slug>('daily', 'weekly');
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('join', 'leave', 'confirm', 'refuse'), serial: serials }),
  fc.record({ do: fc.constant('apply'), serial: serials, slug: slugs }),
  fc.record({ do: fc.constant('name'), slug: fc.option(slugs, { freq: 8 }) }),
) as fc.Arbitrary<Step>;

/** What random sequences of this length seldom hold: naming the profile again for who refused it, or had another one. */
const RARE: [Step[]][] = [
  [
    [
      { do: 'name', slug: 'daily' },
      { do: 'join', serial: 'A' },
      { do: 'refuse', serial: 'A' },
      { do: 'name', slug: 'daily' },
      { do: 'apply', serial: 'A', slug: 'daily' },
      { do: 'leave', serial: 'A' },
      { do: 'confirm', serial: 'A' },
      { do: 'join', serial: 'A' },
    ],
  ],
  [
    [
      { do: 'join', serial: 'A' },
      { do: 'name', slug: 'daily' },
      { do: 'confirm', serial: 'A' },
      { do: 'apply', serial: 'A', slug: 'weekly' },
      { do: 'name', slug: 'daily' },
      { do: 'refuse', serial: 'A' },
      { do: 'name', slug: 'weekly' },
      { do: 'name', slug: null },
    ],
  ],
];

const newModel = (): Model => ({
  slug: null,
  devices: Object.fromEntries(
    SERIALS.map((serial) => [
      serial,
      {
        isMember: false,
        runs: null,
        pending: null,
        isRefused: false,
        wantedByGroup: false,
        wantedByApply: false,
      },
    ]),
  ) as Model['devices'],
});

function want(device: ModelDevice, value: number, by: 'wantedByGroup' | 'wantedByApply'): void {
  const isOther = device.pending !== value;
  device.pending = value;
  device.isRefused = false;
  if (isOther) device.wantedByGroup = device.wantedByApply = false;
  device[by] = true;
}

function offer(device: ModelDevice, slug: Slug | null): void {
  if (slug === null || (device.pending ?? device.runs) === INTERVALS[slug]) return;
  want(device, INTERVALS[slug], 'wantedByGroup');
}

function withdraw(device: ModelDevice): void {
  if (device.wantedByGroup && !device.wantedByApply) {
    device.pending = null;
    device.isRefused = false;
  }
  device.wantedByGroup = false;
}

function settle(device: ModelDevice): void {
  device.runs = device.pending;
  device.pending = null;
  device.wantedByGroup = device.wantedByApply = false;
}

function advance(model: Model, step: Step): void {
  if (step.do === 'name') {
    const members = Object.values(model.devices).filter(({ isMember }) => isMember);
    if (step.slug !== model.slug) members.forEach(withdraw);
    model.slug = step.slug;
    for (const member of members) offer(member, step.slug);
    return;
  }
  const device = model.devices[step.serial];
  const isOffered = device.pending !== null && !device.isRefused;
  if (step.do === 'apply') want(device, INTERVALS[step.slug], 'wantedByApply');
  else if (step.do === 'confirm' && isOffered) settle(device);
  else if (step.do === 'refuse' && isOffered) device.isRefused = true;
  else if (step.do === 'leave' && device.isMember) {
    withdraw(device);
    device.isMember = false;
  } else if (step.do === 'join' && !device.isMember) {
    device.isMember = true;
    offer(device, model.slug);
  }
}

for (const { how, settings } of MODES)
  describe(`The profile of a group that is offered ${how}, in any order of events`, () => {
    let dms: TestService;
    let worker: Steps;

    before(async () => {
      dms = await startService({ withWorker: false, settings });
      worker = openSteps(dms);
    });
    after(async () => {
      await worker.close();
      await dms.stop();
    });

    async function start(): Promise<{ org: TestOrganization; group: string }> {
      const org = await dms.addOrganization();
      for (const [slug, seconds] of Object.entries(INTERVALS)) {
        await createProfile(org, { slug, intervals: { transmissionIntervalSeconds: seconds } });
      }
      for (const serial of SERIALS) await register(org, serial);
      return { org, group: (await org.api.post('/groups', { name: 'Fridges' })).body.id };
    }

    /** A code that a device repeats counts once. */
    let refusals = 0;

    async function act(org: TestOrganization, group: string, step: Step, before: Model): Promise<void> {
      const change = async (path: string, body: object, method: 'post' | 'patch' | 'put' = 'post') => {
        const { status, text } = await org.api[method](path, body);
        assert.equal(status, 200, text);
      };
      if (step.do === 'name') return change(`/groups/${group}`, { profileSlug: step.slug }, 'patch');
      const serialNumbers = [step.serial];
      if (step.do === 'join') return change(`/groups/${group}/add-members`, { serialNumbers });
      if (step.do === 'leave') return change(`/groups/${group}/remove-members`, { serialNumbers });
      if (step.do === 'apply') {
        return change(`/devices/config-profiles/${step.slug}/apply`, { serialNumbers }, 'put');
      }
      const { pending, runs, isRefused } = before.devices[step.serial];
      if (pending === null || isRefused) return;
      if (step.do === 'confirm') return applyAnswer(org, step.serial);
      await org.device.get(`/devices/${step.serial}/pending-config`);
      const present = { ...FACTORY, ...(runs !== null && { transmissionInterval: runs }) };
      await report(org, step.serial, { ...present, errors: [{ code: ++refusals, message: 'no' }] });
    }

    const seen = async (org: TestOrganization, serial: string) => {
      const { pendingConfig, deviceConfig, syncStatus } = await configOf(org, serial);
      return {
        pending: pendingConfig?.transmissionInterval ?? null,
        runs: deviceConfig?.transmissionInterval ?? null,
        isRefused: syncStatus === 'failed',
      };
    };

    /** What a device runs is unknown to the model until the device has confirmed something. */
    async function compare(org: TestOrganization, model: Model) {
      const entries = SERIALS.map(async (serial) => {
        const { pending, runs, isRefused } = model.devices[serial];
        const actual = await seen(org, serial);
        return { serial, actual, expected: { pending, runs: runs ?? actual.runs, isRefused } };
      });
      const devices = await Promise.all(entries);
      const by = (which: 'actual' | 'expected') =>
        Object.fromEntries(devices.map((one) => [one.serial, one[which]]));
      return { actual: by('actual'), expected: by('expected') };
    }

    it('leaves pending exactly what the group and applies want of each device', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 6, maxLength: 14 }), async (sequence) => {
          const { org, group } = await start();
          const model = newModel();
          for (const step of sequence) {
            await act(org, group, step, model);
            advance(model, step);
            await worker.work();
            const { actual, expected } = await compare(org, model);
            assert.deepEqual(actual, expected, `after ${JSON.stringify(step)}`);
          }
        }),
        { numRuns: RUNS, examples: RARE },
      );
    });
  });
