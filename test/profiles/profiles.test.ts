/** Section 3 of the contract over HTTP; profile-rules.test.ts tests the content of a body. */
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
import { useOrganization, useService } from '../support/service.ts';

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
/** As in answers: with defaults filled in, and the values as sent. */
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
  const dms = useService({ withWorker: false });
  const org = useOrganization(dms);
  let api: Client;

  beforeEach(() => {
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
    it('refuses more than 1,000 profiles of an organization, also by requests at the same time', async () => {
      await dms.service.sql.raw(
        `insert into profiles (organization_id, slug, name, temperature_alerts)
       select ?, 'many-' || n, 'Many', '[]' from generate_series(1, 999) as n`,
        [org.id],
      );
      const answers = await Promise.all(['one', 'other'].map((slug) => create({ ...FULL, slug })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
      assert.match(String(answers.map(({ text }) => text)), /There are 1000 profiles/);
      await createProfile(await dms.addOrganization(), FULL);
    });

    it('answers a created profile whole, with its intervals and the bounds that devices enforce', async () => {
      const { status, body } = await create(FULL);
      assert.deepEqual({ status, body }, { status: 201, body: { profile: DETAIL } });
    });

    it('refuses an existing slug, given or made from the name', async () => {
      await createProfile(org, FULL);
      await refused(create(FULL), 409, /cold-room/);
      await refused(create({ name: 'Cold Room!', schedule: { always: true } }), 409, /cold-room/);
      assert.deepEqual(await get(), VIEW);
    });

    it('creates one profile for twenty concurrent requests with the same slug', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => create(FULL)));
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [201, ...Array(19).fill(409)]);
    });

    it('accepts a slug that another organization has', async () => {
      await createProfile(org, FULL);
      await createProfile(await dms.addOrganization(), FULL);
    });
  });

  describe('when they are read', () => {
    it('shows slug, name, schedule and alerts of a profile, and nothing else', async () => {
      await createProfile(org, FULL);
      assert.deepEqual((await api.get(`${PATH}/cold-room`)).body, { profile: VIEW });
      assert.deepEqual((await api.get(PATH)).body, { profiles: [VIEW] });
    });

    it('lists all profiles by slug', async () => {
      assert.deepEqual((await api.get(PATH)).body, { profiles: [] });
      for (const profile of [HOT_WATER, FULL, FRIDGE]) await createProfile(org, profile);
      const { profiles } = (await api.get(PATH)).body;
      assert.deepEqual(
        profiles.map(({ slug }: { slug: string }) => slug),
        ['cold-room', 'hot-water-guard', 'vaccine-fridge'],
      );
    });
  });

  describe('when they are changed', () => {
    beforeEach(() => createProfile(org, FULL));

    it('changes nothing when a change has a fault', async () => {
      const intervals = { measurementIntervalMinutes: 60, transmissionIntervalSeconds: 60 };
      await refused(update({ name: 'Wrong', intervals }), 400, /^intervals\.transmissionIntervalSeconds/);
      assert.deepEqual(await get(), VIEW);
    });

    it('keeps every one of several concurrent changes', async () => {
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

    it('changes no device until a changed profile is applied again', async () => {
      await register(org, 'COLD-1');
      await apply(org, 'cold-room', { serialNumbers: ['COLD-1'] });
      const waiting = (await configOf(org, 'COLD-1')).pendingConfig;
      await update({ intervals: { transmissionIntervalSeconds: 86_400 } });
      assert.deepEqual((await configOf(org, 'COLD-1')).pendingConfig, waiting);
      await applyAnswer(org, 'COLD-1');
      await apply(org, 'cold-room', { serialNumbers: ['COLD-1'] });
      assert.equal((await configOf(org, 'COLD-1')).pendingConfig.transmissionInterval, 86_400);
    });
  });

  describe('with slugs that are words of paths', () => {
    for (const slug of ['config', 'apply', 'config-profiles', 'config-jobs', 'pending-config']) {
      it(`serves a profile whose slug is also a path segment: ${slug}`, async () => {
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
