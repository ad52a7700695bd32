/** Section 2 of the contract over HTTP; what one body may hold is proved in test/profiles/. */
import assert from 'node:assert/strict';
import type { Answer, Client } from '../support/client.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  FRIDGE,
  HOT_WATER,
  register,
} from '../support/fleet.ts';
import { startService, type TestOrganization, type TestService } from '../support/service.ts';

const PATH = '/devices/config-profiles';
const ALERT = { type: 'range', channel: 'probe', lowC: 2.04, highC: 7.96 };
const SCHEDULE = {
  always: false,
  days: ['monday'],
  from: '22:00',
  to: '06:00',
  timezone: 'Europe/Stockholm',
};
const FULL = {
  slug: 'cold-room',
  name: 'Cold room 2–8 °C',
  temperatureAlerts: [ALERT],
  schedule: SCHEDULE,
  intervals: { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 21_600 },
};
/** As answered: the defaults filled in, the values as sent. */
const ALERT_VIEW = { ...ALERT, hysteresisC: 0, transmitOnBreach: true, transmitOnReturn: true };
const VIEW = {
  slug: 'cold-room',
  name: 'Cold room 2–8 °C',
  schedule: SCHEDULE,
  temperatureAlerts: [ALERT_VIEW],
};
const DETAIL = {
  ...VIEW,
  temperatureAlerts: [{ ...ALERT_VIEW, minC: 2, maxC: 8 }],
  measurementIntervalMinutes: 5,
  transmissionIntervalSeconds: 21_600,
};

describe('Configuration profiles', () => {
  let dms: TestService;
  let org: TestOrganization;
  let api: Client;

  before(async () => {
    dms = await startService({ withWorker: false });
  });
  after(() => dms.stop());
  beforeEach(async () => {
    org = await dms.addOrganization();
    api = org.api;
  });

  const create = (body: object) => api.post(PATH, body);
  const update = (body: object, slug = FULL.slug) => api.put(`${PATH}/${slug}`, body);
  const get = async (slug = FULL.slug) => (await api.get(`${PATH}/${slug}`)).body.profile;

  async function refused(answer: Promise<Answer>, status: number, message: RegExp): Promise<void> {
    const { status: actual, body } = await answer;
    assert.equal(actual, status, JSON.stringify(body));
    assert.match(body.message, message);
  }

  describe('when they are created', () => {
    it('are answered whole, with the intervals and the bounds that the device enforces', async () => {
      const { status, body } = await create(FULL);
      assert.deepEqual({ status, body }, { status: 201, body: { profile: DETAIL } });
    });

    it('need no more than a name and one part', async () => {
      const { body } = await create({ name: 'Every hour', intervals: { measurementIntervalMinutes: 60 } });
      assert.deepEqual(body.profile, {
        slug: 'every-hour',
        name: 'Every hour',
        schedule: { always: true },
        temperatureAlerts: [],
        measurementIntervalMinutes: 60,
        transmissionIntervalSeconds: null,
      });
    });

    it('take their name from the slug when it is left out', async () => {
      const { body } = await create({ slug: 'always-on', schedule: { always: true } });
      assert.deepEqual([body.profile.slug, body.profile.name], ['always-on', 'always-on']);
    });

    it('have null where an alert has no bound', async () => {
      const { body } = await create(HOT_WATER);
      const [alert] = body.profile.temperatureAlerts;
      assert.deepEqual([alert.minC, alert.maxC, alert.highC], [50, null, undefined]);
    });

    it('are refused without slug and name, and without any part', async () => {
      await refused(create({ schedule: { always: true } }), 400, /^slug or name must be given/);
      await refused(
        create({ name: 'Empty' }),
        400,
        /^at least one of temperatureAlerts, schedule and intervals/,
      );
    });

    it('are refused a slug that is taken, given or made from the name', async () => {
      await createProfile(org, FULL);
      await refused(create(FULL), 409, /cold-room/);
      await refused(create({ name: 'Cold Room!', schedule: { always: true } }), 409, /cold-room/);
      assert.deepEqual(await get(), VIEW);
    });

    it('twenty times at once with one slug are one profile', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => create(FULL)));
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [201, ...Array(19).fill(409)]);
    });

    it('may have a slug that another organization has', async () => {
      await createProfile(org, FULL);
      await createProfile(await dms.addOrganization(), FULL);
    });

    it('have a slug of lower-case letters, digits and single hyphens, at most 64 long', async () => {
      const part = { schedule: { always: true } };
      for (const slug of ['a', '0', 'a-b-c', 'x'.repeat(64)])
        assert.equal((await create({ slug, ...part })).status, 201);
      for (const slug of ['', '-a', 'a-', 'a--b', 'A', 'a_b', 'a b', 'ä', 'a/b', 'a.b', 'x'.repeat(65)]) {
        await refused(create({ slug, ...part }), 400, /^slug /);
      }
    });

    it('have at most four alerts, and the refusal says why', () =>
      refused(
        create({ ...FULL, temperatureAlerts: Array(5).fill(ALERT) }),
        400,
        /at most 4 alerts.*12 rule slots/,
      ));

    it('are not there when anything in them is wrong', async () => {
      const body = { ...FULL, temperatureAlerts: [ALERT, { ...ALERT, lowC: 9 }] };
      await refused(create(body), 400, /^temperatureAlerts\[1\]\.lowC must be lower than highC/);
      assert.deepEqual((await api.get(PATH)).body, { profiles: [] });
    });
  });

  describe('when they are read', () => {
    it('show slug, name, schedule and alerts, and nothing else', async () => {
      await createProfile(org, FULL);
      assert.deepEqual((await api.get(`${PATH}/cold-room`)).body, { profile: VIEW });
      assert.deepEqual((await api.get(PATH)).body, { profiles: [VIEW] });
    });

    it('are listed all, and none where there is none', async () => {
      assert.deepEqual((await api.get(PATH)).body, { profiles: [] });
      for (const profile of [HOT_WATER, FULL, FRIDGE]) await createProfile(org, profile);
      const { profiles } = (await api.get(PATH)).body;
      assert.deepEqual(
        profiles.map(({ slug }: { slug: string }) => slug),
        ['cold-room', 'hot-water-guard', 'vaccine-fridge'],
      );
    });

    it('are 404 when no profile has the slug, or nothing could', async () => {
      for (const slug of ['none', 'NONE', 'no_ne', 'x'.repeat(65)]) {
        await refused(api.get(`${PATH}/${slug}`), 404, /./);
      }
    });

    it('have their values as they were sent', async () => {
      await createProfile(org, {
        ...FULL,
        temperatureAlerts: [{ ...ALERT, lowC: -0.049, hysteresisC: 0.15 }],
      });
      const [alert] = (await get()).temperatureAlerts;
      assert.deepEqual([alert.lowC, alert.hysteresisC], [-0.049, 0.15]);
    });
  });

  describe('when they are changed', () => {
    beforeEach(() => createProfile(org, FULL));

    const changes: Array<[string, object, object]> = [
      ['the name', { name: 'Freezer' }, { name: 'Freezer' }],
      ['the alerts', { temperatureAlerts: [] }, { temperatureAlerts: [] }],
      ['the schedule', { schedule: { always: true } }, { schedule: { always: true } }],
      [
        'the intervals',
        { intervals: { transmissionIntervalSeconds: 60 } },
        { measurementIntervalMinutes: null, transmissionIntervalSeconds: 60 },
      ],
    ];
    for (const [what, body, changed] of changes) {
      it(`replace ${what} whole and leave the rest`, async () => {
        const answer = await update(body);
        assert.deepEqual([answer.status, answer.body], [200, { profile: { ...DETAIL, ...changed } }]);
        // A change that changes nothing answers with what is stored.
        assert.deepEqual((await update({ slug: FULL.slug })).body.profile, { ...DETAIL, ...changed });
      });
    }

    it('may be given their own slug, and no other', async () => {
      assert.equal((await update({ slug: 'cold-room', name: 'Same' })).status, 200);
      await refused(update({ slug: 'other', name: 'Other' }), 400, /^slug must be cold-room/);
      assert.equal((await get()).name, 'Same');
    });

    it('are refused a change of nothing', () => refused(update({}), 400, /^at least one of/));

    it('are left as they were when anything in the change is wrong', async () => {
      const intervals = { measurementIntervalMinutes: 60, transmissionIntervalSeconds: 60 };
      await refused(update({ name: 'Wrong', intervals }), 400, /^intervals\.transmissionIntervalSeconds/);
      assert.deepEqual(await get(), VIEW);
    });

    it('are 404 when no profile has the slug: PUT makes none', async () => {
      await refused(update({ name: 'None' }, 'none'), 404, /No configuration profile/);
      assert.equal((await api.get(PATH)).body.profiles.length, 1);
    });

    it('by several at once take every change', async () => {
      await Promise.all([
        update({ name: 'Both' }),
        update({ temperatureAlerts: [] }),
        update({ schedule: { always: true } }),
        update({ intervals: { measurementIntervalMinutes: 1 } }),
      ]);
      assert.deepEqual((await update({ slug: FULL.slug })).body.profile, {
        slug: 'cold-room',
        name: 'Both',
        schedule: { always: true },
        temperatureAlerts: [],
        measurementIntervalMinutes: 1,
        transmissionIntervalSeconds: null,
      });
    });

    it('touch no device until they are applied again', async () => {
      await register(org, 'COLD-1');
      await apply(org, 'cold-room', { serialNumbers: ['COLD-1'] });
      const waiting = (await configOf(org, 'COLD-1')).pendingConfig;
      await update({ intervals: { transmissionIntervalSeconds: 86_400 } });
      assert.deepEqual((await configOf(org, 'COLD-1')).pendingConfig, waiting);
      await applyAnswer(org, 'COLD-1');
      await apply(org, 'cold-room', { serialNumbers: ['COLD-1'] });
      assert.equal((await configOf(org, 'COLD-1')).pendingConfig.transmissionInterval, 86_400);
    });

    it('by another organization are 404', async () => {
      const other = await dms.addOrganization();
      await refused(other.api.put(`${PATH}/cold-room`, { name: 'Mine' }), 404, /./);
      assert.equal((await get()).name, FULL.name);
    });
  });

  describe('with slugs that are words of paths', () => {
    for (const slug of ['config', 'apply', 'config-profiles', 'config-jobs', 'pending-config']) {
      it(`are profiles all the same: ${slug}`, async () => {
        assert.equal((await api.get(`${PATH}/${slug}`)).status, 404);
        await createProfile(org, { slug, schedule: { always: true } });
        assert.equal((await get(slug)).slug, slug);
        assert.equal((await update({ name: 'Renamed' }, slug)).body.profile.name, 'Renamed');
        const { status, body } = await api.put(`${PATH}/${slug}/apply`, { applyToAll: true });
        assert.deepEqual([status, body.profileSlug], [200, slug]);
      });
    }
  });
});
