import assert from 'node:assert/strict';
import type { Answer } from '../support/client.ts';
import {
  apply,
  applyAnswer,
  configOf,
  createProfile,
  eventually,
  FACTORY,
  FREEZER,
  FRIDGE,
  HOT_WATER,
  jobOf,
  refuse,
  register,
  registerMany,
  report,
  untilEnded,
} from '../support/fleet.ts';
import { whileLocked } from '../support/lock-waits.ts';
import { type TestOrganization, useOrganization, useService } from '../support/service.ts';

const FREQUENT = { name: 'Frequent', intervals: { measurementIntervalMinutes: 10 } };
const RARE = { name: 'Rare', intervals: { measurementIntervalMinutes: 60 } };
const SLOW = { name: 'Slow', intervals: { transmissionIntervalSeconds: 86_400 } };

async function statesOf({ api }: TestOrganization, jobId: string): Promise<Record<string, string>> {
  const { body } = await api.get(`/devices/config-jobs/${jobId}/targets?limit=500`);
  return Object.fromEntries(
    body.items.map((each: { serialNumber: string; state: string }) => [each.serialNumber, each.state]),
  );
}

describe('Applying a profile', () => {
  const dms = useService();
  const fleet = useOrganization(dms);
  let serials: string[];

  beforeEach(async () => {
    for (const profile of [HOT_WATER, FRIDGE, FREEZER, FREQUENT, RARE, SLOW])
      await createProfile(fleet, profile);
    serials = await registerMany(fleet, 3);
  });

  const applyTo = (slug: string, chosen: string[] = serials, more: object = {}) =>
    apply(fleet, slug, { serialNumbers: chosen, ...more });

  it('ends a job as succeeded when every device has reported that it runs the change', async () => {
    const jobId = await applyTo('hot-water-guard');
    for (const serial of serials.slice(1)) await applyAnswer(fleet, serial);
    assert.equal((await jobOf(fleet, jobId)).status, 'running');
    await applyAnswer(fleet, serials[0] as string);
    const job = await untilEnded(fleet, jobId);
    assert.equal(job.status, 'succeeded');
    assert.equal(job.counts.applied, 3);
    assert.notEqual(job.finishedAt, null);
  });

  it('shows which settings the report of an applied device left out, until a report names them', async () => {
    const [serial = ''] = serials;
    await applyTo('vaccine-fridge', [serial]);
    const { config } = (await fleet.device.get(`/devices/${serial}/pending-config`)).body;
    await report(fleet, serial, FACTORY);
    const { syncStatus, unconfirmedKeys } = await configOf(fleet, serial);
    assert.deepEqual([syncStatus, unconfirmedKeys], ['applied', Object.keys(config)]);
    await report(fleet, serial, { ...FACTORY, ...config });
    assert.equal('unconfirmedKeys' in (await configOf(fleet, serial)), false);
  });

  it('answers an apply with the serials as registered, in the order sent, each once', async () => {
    const [a = '', b = '', c = ''] = serials;
    const { body, headers } = await fleet.api.put('/devices/config-profiles/freezer/apply', {
      serialNumbers: [c.toLowerCase(), a, c, b, a.toLowerCase()],
    });
    assert.deepEqual(body.applied, [c, a, b]);
    assert.equal(body.appliedCount, 3);
    assert.equal(body.profileSlug, 'freezer');
    assert.equal(body.ok, true);
    assert.equal(headers.location, `/devices/config-jobs/${body.jobId}`);
  });

  it('applies to all active devices by asset id when applyToAll is true', async () => {
    const { body: list } = await fleet.api.get('/assets');
    await fleet.api.delete(`/assets/${list.items[1].id}`);
    const { body } = await fleet.api.put('/devices/config-profiles/freezer/apply', { applyToAll: true });
    assert.deepEqual(body.applied, [list.items[0].serialNumber, list.items[2].serialNumber]);
  });

  it('creates no job when the organization has no devices', async () => {
    const empty = await dms.addOrganization();
    await createProfile(empty, FRIDGE);
    const { status, body } = await empty.api.put('/devices/config-profiles/vaccine-fridge/apply', {
      applyToAll: true,
    });
    assert.equal(status, 200);
    assert.deepEqual(body, {
      ok: true,
      profileSlug: 'vaccine-fridge',
      appliedCount: 0,
      applied: [],
      jobId: null,
    });
  });

  it('refuses a choice of no or too many devices, a bad deadline and a bad rollout, and applies nothing', async () => {
    for (const [body, message] of [
      [{ serialNumbers: ['X'], applyToAll: true }, /only one of/],
      [{}, /one of serialNumbers, applyToAll and groupId/],
      [{ serialNumbers: [] }, /serialNumbers must name at least one/],
      [{ applyToAll: false }, /applyToAll must be true/],
      [{ applyToAll: true, deadlineMinutes: 0 }, /deadlineMinutes/],
      [{ applyToAll: true, deadlineMinutes: 43_201 }, /deadlineMinutes/],
      [{ applyToAll: true, rollout: {} }, /rollout.firstPercent/],
    ] as const) {
      const answer = await fleet.api.put('/devices/config-profiles/freezer/apply', body);
      assert.equal(answer.status, 400);
      assert.match(answer.body.message, message);
    }
    assert.equal((await configOf(fleet, serials[0] as string)).pendingConfig, null);
  });

  it('names the unknown and archived serials, ten at most, and applies nothing', async () => {
    const unknown = Array.from({ length: 12 }, (_, index) => `NOBODY-${index}`);
    const { status, body } = await fleet.api.put('/devices/config-profiles/freezer/apply', {
      serialNumbers: [...serials, ...unknown],
    });
    assert.equal(status, 404);
    assert.match(body.message, /12 .*NOBODY-0, .*NOBODY-9, …/);
    assert.doesNotMatch(body.message, /NOBODY-10/);
    assert.equal((await configOf(fleet, serials[0] as string)).pendingConfig, null);
  });

  it('refuses serials that only look like a registered one or fold to it', async () => {
    await register(fleet, 'KELVIN-1');
    const { status, body } = await fleet.api.put('/devices/config-profiles/freezer/apply', {
      serialNumbers: ['\u212aELVIN-1'],
    });
    assert.equal(status, 400);
    assert.match(body.message, /^serialNumbers\[0\] must be 1 to 64 letters, digits/);
    assert.equal((await configOf(fleet, 'KELVIN-1')).pendingConfig, null);
  });

  it('previews what each variant would get, with warnings, and changes nothing', async () => {
    await register(fleet, 'THT-1', { model: 'TVO-THT' });
    const { status, body } = await fleet.api.put(
      '/devices/config-profiles/hot-water-guard/apply?dryRun=true',
      {
        applyToAll: true,
      },
    );
    assert.equal(status, 200);
    assert.equal(body.jobId, null);
    assert.deepEqual(
      body.preview.map((each: { deviceCount: number }) => each.deviceCount),
      [3, 1],
    );
    assert.deepEqual(
      body.preview
        .map((each: { config: { alarmRules: object[] } }) => each.config.alarmRules[0])
        .map((rule: { slotNumbers: number[] }) => rule.slotNumbers),
      [[0], [2]],
    );
    assert.match(body.preview[0].warnings[0], /60 measurement intervals/);
    assert.equal((await configOf(fleet, 'THT-1')).pendingConfig, null);
    assert.deepEqual((await fleet.api.get('/devices/config-jobs')).body.items, []);
  });

  it('previews while others have locked the devices, and locks none', async () => {
    const lock = `select from device_configs where organization_id = '${fleet.id}' for update`;
    await whileLocked(dms.service.sql, lock, async () => {
      for (const body of [{ applyToAll: true }, { serialNumbers: serials }]) {
        const path = '/devices/config-profiles/hot-water-guard/apply?dryRun=true';
        // A preview that waited for a lock would be answered with 503.
        const answer = await fleet.api.put(path, body);
        assert.equal(answer.body.appliedCount, serials.length);
      }
    });
  });

  it('warns in a preview of devices whose other interval does not fit the applied one', async () => {
    const [hourly = '', pendingHourly = '', unknown = ''] = serials;
    await report(fleet, hourly, { ...FACTORY, measurementPeriodBase: 3_600, transmissionInterval: 86_400 });
    await createProfile(fleet, { name: 'Chatty', intervals: { transmissionIntervalSeconds: 600 } });
    await applyTo('rare', [pendingHourly]);
    const { body } = await fleet.api.put('/devices/config-profiles/chatty/apply?dryRun=true', {
      serialNumbers: [hourly, pendingHourly, unknown],
    });
    assert.deepEqual(
      body.preview.map((each: { warnings: string[] }) => each.warnings),
      [
        [
          'intervals: with the other interval that they have, 2 of these devices would transmit more often than they measure, so they may refuse',
        ],
      ],
    );
  });

  it('keeps pending settings of other jobs, and settles all jobs by one confirmation', async () => {
    const [serial = ''] = serials;
    const first = await applyTo('frequent', [serial]);
    const second = await applyTo('slow', [serial]);
    assert.deepEqual((await configOf(fleet, serial)).pendingConfig, {
      measurementPeriodBase: 600,
      measurementPeriodFactor: 1,
      transmissionInterval: 86_400,
    });
    await applyAnswer(fleet, serial);
    for (const jobId of [first, second]) assert.equal((await untilEnded(fleet, jobId)).counts.applied, 1);
  });

  describe('and a device that refuses', () => {
    it('offers the same change again by a retry, even after the profile was changed', async () => {
      const [serial = '', other = ''] = serials;
      const jobId = await applyTo('frequent', [serial, other]);
      await refuse(fleet, serial);
      await applyAnswer(fleet, other);
      await untilEnded(fleet, jobId);
      assert.equal((await fleet.device.get(`/devices/${serial}/pending-config`)).status, 204);
      await fleet.api.put('/devices/config-profiles/frequent', {
        intervals: { measurementIntervalMinutes: 1 },
      });
      const retried = await fleet.api.post(`/devices/config-jobs/${jobId}/retry`);
      assert.equal(retried.status, 201);
      assert.equal(retried.headers.location, `/devices/config-jobs/${retried.body.id}`);
      assert.deepEqual(await statesOf(fleet, retried.body.id), { [serial]: 'waiting' });
      const offered = await fleet.device.get(`/devices/${serial}/pending-config`);
      assert.equal(offered.body.config.measurementPeriodBase, 600);
      await applyAnswer(fleet, serial);
      assert.equal((await untilEnded(fleet, retried.body.id)).status, 'succeeded');
      assert.equal((await fleet.api.post(`/devices/config-jobs/${jobId}/retry`)).status, 409);
    });
  });

  describe('and retrying while a retry runs', () => {
    it('begins only one of concurrent retries, and answers 409 until it has ended', async () => {
      const [serial = ''] = serials;
      const jobId = await applyTo('freezer', [serial]);
      await refuse(fleet, serial);
      await untilEnded(fleet, jobId);
      const retry = () => fleet.api.post(`/devices/config-jobs/${jobId}/retry`);
      const answers = await Promise.all(Array.from({ length: 5 }, retry));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
      const { body: retried } = answers.find(({ status }) => status === 201) as Answer;
      const again = await retry();
      assert.deepEqual([again.status, again.body.message.includes('is running')], [409, true], again.text);
      await refuse(fleet, serial);
      await untilEnded(fleet, retried.id);
      assert.equal((await retry()).status, 201);
    });
  });

  describe('and cancelling the job', () => {
    it('withdraws the change of a cancelled job from devices that have not settled, and ends it', async () => {
      const [done = '', waiting = ''] = serials;
      const jobId = await applyTo('frequent', [done, waiting]);
      await applyAnswer(fleet, done);
      const { status, body } = await fleet.api.post(`/devices/config-jobs/${jobId}/cancel`);
      assert.equal(status, 200);
      assert.equal(body.status, 'cancelled');
      assert.deepEqual(await statesOf(fleet, jobId), { [done]: 'applied', [waiting]: 'cancelled' });
      assert.equal((await configOf(fleet, waiting)).pendingConfig, null);
      assert.equal((await fleet.device.get(`/devices/${waiting}/pending-config`)).status, 204);
      assert.equal((await fleet.api.post(`/devices/config-jobs/${jobId}/cancel`)).status, 409);
    });
  });

  describe('in stages', () => {
    const rollout = { firstPercent: 34, minAppliedPercent: 100, abortFailedPercent: 50 };

    it('does not change devices of the second stage until the first ones run the change', async () => {
      const [first = '', ...rest] = serials;
      const jobId = await applyTo('frequent', serials, { rollout: { ...rollout, firstPercent: 33 } });
      assert.deepEqual(Object.values(await statesOf(fleet, jobId)).sort(), ['queued', 'queued', 'waiting']);
      assert.equal((await configOf(fleet, rest[0] as string)).pendingConfig, null);
      await applyAnswer(fleet, first);
      await eventually(
        () => statesOf(fleet, jobId),
        (states) => rest.every((serial) => states[serial] === 'waiting'),
      );
      for (const serial of rest) await applyAnswer(fleet, serial);
      assert.equal((await untilEnded(fleet, jobId)).status, 'succeeded');
    });

    it('aborts a job when too many devices fail, and cancels and withdraws its open targets', async () => {
      const jobId = await applyTo('frequent', serials, { rollout: { ...rollout, firstPercent: 60 } });
      const [failing = '', waiting = '', queued = ''] = serials;
      await refuse(fleet, failing);
      const job = await untilEnded(fleet, jobId);
      assert.equal(job.status, 'aborted');
      assert.equal(job.reason, 'too many devices failed: 1 of 2, at 50 % the job ends');
      assert.deepEqual(await statesOf(fleet, jobId), {
        [failing]: 'failed',
        [waiting]: 'cancelled',
        [queued]: 'cancelled',
      });
      assert.equal((await configOf(fleet, waiting)).pendingConfig, null);
    });

    const archive = async (serial: string) =>
      fleet.api.delete(`/assets/${(await configOf(fleet, serial)).assetId}`);
    const LEAVING: Record<string, (serial: string) => Promise<unknown>> = {
      'is put back by another apply': (serial) => applyTo('rare', [serial]),
      'was archived': archive,
    };
    for (const [how, leave] of Object.entries(LEAVING)) {
      it(`aborts a job, with the reason, when every device of the first stage ${how}`, async () => {
        const [first = '', ...rest] = serials;
        const jobId = await applyTo('frequent', serials, { rollout: { ...rollout, firstPercent: 33 } });
        await leave(first);
        const { status, reason } = await untilEnded(fleet, jobId);
        assert.deepEqual(
          [status, reason],
          ['aborted', 'no device of the first stage has applied the change'],
        );
        for (const serial of rest) assert.equal((await configOf(fleet, serial)).pendingConfig, null);
        const { items } = (await fleet.api.get(`/devices/config-jobs/${jobId}/targets?state=cancelled`)).body;
        assert.match(items[0].reason, /^the (asset was archived|job was aborted: no device)/);
      });
    }

    const LEAVING_REFUSED: Record<string, (serial: string) => Promise<unknown>> = {
      'was archived': archive,
      'left its group': async (serial) =>
        fleet.api.patch(`/assets/${(await configOf(fleet, serial)).assetId}`, { groupId: null }),
    };
    for (const [how, leave] of Object.entries(LEAVING_REFUSED)) {
      it(`goes on without a device that refused the change and then ${how}`, async () => {
        const [refusing = '', applying = '', waiting = ''] = serials;
        const last = 'LAST';
        await register(fleet, last);
        const { id } = (await fleet.api.post('/groups', { name: 'Fridges' })).body;
        await fleet.api.post(`/groups/${id}/add-members`, { serialNumbers: [...serials, last] });
        const ofThree = { firstPercent: 75, minAppliedPercent: 50, abortFailedPercent: 50 };
        const named = { profileSlug: 'frequent', rollout: ofThree };
        const { jobId } = (await fleet.api.patch(`/groups/${id}`, named)).body;
        await refuse(fleet, refusing);
        await applyAnswer(fleet, applying);
        await leave(refusing);
        const states = await eventually(
          () => statesOf(fleet, jobId),
          (seen) => seen[last] === 'waiting',
        );
        assert.deepEqual([states[refusing], states[waiting]], ['cancelled', 'waiting']);
        for (const serial of [waiting, last]) await applyAnswer(fleet, serial);
        const { status, counts } = await untilEnded(fleet, jobId);
        assert.deepEqual([status, counts.applied, counts.failed, counts.cancelled], ['succeeded', 3, 0, 1]);
      });
    }

    it('supersedes queued targets of a staged job by a later job', async () => {
      const [first = '', ...rest] = serials;
      const staged = await applyTo('frequent', serials, { rollout: { ...rollout, firstPercent: 33 } });
      await applyTo('rare', rest);
      await applyAnswer(fleet, first);
      const job = await untilEnded(fleet, staged);
      assert.equal(job.counts.superseded, 2);
      assert.equal((await configOf(fleet, rest[0] as string)).pendingConfig.measurementPeriodBase, 3_600);
    });
  });

  it('applies the change to the new hardware of an asset, over what the old one ran', async () => {
    const [serial = ''] = serials;
    await applyTo('vaccine-fridge', [serial]);
    await applyAnswer(fleet, serial);
    const jobId = await applyTo('frequent', [serial]);
    const { assetId } = await configOf(fleet, serial);
    await fleet.api.post(`/assets/${assetId}/replace-hardware`, { newSerialNumber: 'FRESH-1' });
    const record = await configOf(fleet, 'FRESH-1');
    assert.equal(record.syncStatus, 'pending');
    assert.equal(record.pendingConfig.measurementPeriodBase, 600);
    assert.equal(record.pendingConfig.alarmRules[0].threshold, 8);
    await applyAnswer(fleet, 'FRESH-1');
    assert.equal((await untilEnded(fleet, jobId)).counts.applied, 1);
    assert.deepEqual(await statesOf(fleet, jobId), { 'FRESH-1': 'applied' });
  });

  it('lists jobs newest first, by status and page by page', async () => {
    const ids: string[] = [];
    for (const slug of ['frequent', 'slow', 'freezer']) ids.push(await applyTo(slug));
    await fleet.api.post(`/devices/config-jobs/${ids[1]}/cancel`);
    const { body: page } = await fleet.api.get('/devices/config-jobs?limit=2');
    assert.deepEqual(
      page.items.map(({ id }: { id: string }) => id),
      [ids[2], ids[1]],
    );
    const { body: rest } = await fleet.api.get(`/devices/config-jobs?limit=2&cursor=${page.nextCursor}`);
    assert.deepEqual(
      rest.items.map(({ id }: { id: string }) => id),
      [ids[0]],
    );
    assert.equal(rest.nextCursor, null);
    const { body: cancelled } = await fleet.api.get('/devices/config-jobs?status=cancelled');
    assert.equal(cancelled.items.length, 1);
  });

  it('lists the targets of a job by state and page by page', async () => {
    const jobId = await applyTo('frequent');
    await applyAnswer(fleet, serials[1] as string);
    const path = `/devices/config-jobs/${jobId}/targets`;
    const { body: waiting } = await fleet.api.get(`${path}?state=waiting&limit=1`);
    assert.equal(waiting.items.length, 1);
    const { body: next } = await fleet.api.get(`${path}?state=waiting&limit=1&cursor=${waiting.nextCursor}`);
    assert.equal(next.nextCursor, null);
    assert.notEqual(next.items[0].serialNumber, waiting.items[0].serialNumber);
    const { body: applied } = await fleet.api.get(`${path}?state=applied`);
    assert.deepEqual(
      applied.items.map((each: { serialNumber: string }) => each.serialNumber),
      [serials[1]],
    );
  });
});
