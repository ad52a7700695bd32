/** Times of maintenance: how they are shown, ended, and kept. */
import assert from 'node:assert/strict';
import { createMutesRepository } from '../../src/mutes/mutes.repository.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { useDevice } from '../alerts/harness.ts';
import { FRIDGE } from '../support/fleet.ts';

const DAY_MINUTES = 1_440;

describe('Maintenance', () => {
  const device = useDevice();
  const { measure, onlyAlert } = device;
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS).toISOString();
  const path = () => `/assets/${device.assetId}/mute`;
  const mute = (minutes: number, reason = 'Defrosting', to = path()) =>
    device.org.api.post(to, { until: inMinutes(minutes), reason });
  const shown = async () => (await device.org.api.get(`/assets/${device.assetId}`)).body.mute;
  const mutedSpans = async ({ from = inMinutes(-60), to = inMinutes(60) } = {}) => {
    const { status, body, text } = await device.org.api.get(
      `/assets/${device.assetId}/statistics?from=${from}&to=${to}`,
    );
    assert.equal(status, 200, text);
    return body.mutedSpans as Array<{ from: string; to: string; reason: string }>;
  };
  async function newGroup(): Promise<string> {
    const { id } = (await device.org.api.post('/groups', { name: 'Cold rooms' })).body;
    await device.org.api.post(`/groups/${id}/add-members`, { serialNumbers: [device.serial] });
    return id;
  }
  const leave = (groupId: string) =>
    device.org.api.post(`/groups/${groupId}/remove-members`, { serialNumbers: [device.serial] });

  it('shows who began a mute of an asset and why, and replaces the one before without a gap', async () => {
    assert.equal(await shown(), null);
    const first = await mute(60);
    assert.equal(first.status, 201, first.text);
    assert.deepEqual(await shown(), first.body);
    const { reason, groupId, by } = first.body;
    assert.deepEqual([reason, groupId], ['Defrosting', null]);
    assert.ok(by.keyId);
    const second = await mute(30, 'A new door');
    assert.deepEqual([second.status, second.body.reason], [200, 'A new door']);
    assert.deepEqual(await shown(), second.body);
    const [ended, begun] = await mutedSpans();
    assert.deepEqual([ended?.reason, begun?.reason], ['Defrosting', 'A new door']);
    assert.equal(ended?.to, begun?.from);
  });

  it('marks alerts as muted while they are open and the mute runs', async () => {
    await device.confirmProfile(FRIDGE);
    const webhookId = await device.subscribe(['alert.created']);
    await mute(60);
    await measure(0, 20);
    const { id } = await onlyAlert();
    const isMuted = async () => [
      (await device.org.api.get(`/alerts/${id}`)).body.muted,
      (await device.org.api.get('/alerts')).body.items[0].muted,
    ];
    assert.deepEqual(await isMuted(), [true, true]);
    await device.org.api.delete(path());
    assert.deepEqual(await isMuted(), [false, false]);
    assert.deepEqual(
      (await device.published(webhookId)).map(({ data }) => data.muted),
      [true],
    );
  });

  it('marks an alert that is over as muted if it ended within a mute, whenever its frame arrived', async () => {
    await device.confirmProfile(FRIDGE);
    const webhookId = await device.subscribe(['alert.resolved']);
    const baseMs = Date.now();
    const at = (minute: number) => new Date(baseMs + minute * MINUTE_MS).toISOString();
    await device.org.api.post(path(), { from: at(30), until: at(50), reason: 'Defrosting' });
    const sendAt = (minute: number, ...measured: Array<[minute: number, value: number]>) => {
      device.setClock(baseMs + minute * MINUTE_MS);
      return device.send(
        measured.map(([measuredAt, value]) => device.reading(0, value, { measuredAt: at(measuredAt) })),
      );
    };
    await sendAt(40, [10, 20], [20, 5], [32, 20], [35, 5]);
    await sendAt(60, [42, 20], [45, 5], [48, 20], [55, 5]);
    const events = (await device.published(webhookId)).map(({ data }) => data);
    for (const alerts of [(await device.org.api.get('/alerts')).body.items, events])
      assert.deepEqual(
        new Map(alerts.map(({ endedAt, muted }: Record<string, unknown>) => [endedAt, muted])),
        new Map([
          [at(20), false],
          [at(35), true],
          [at(45), true],
          [at(55), false],
        ]),
      );
  });

  it('keeps an alert that ended within a mute marked when the mute is ended early', async () => {
    await device.confirmProfile(FRIDGE);
    await mute(60);
    const [begin, end] = [0, 1].map((ms) => new Date(Date.now() + ms).toISOString());
    await device.send([
      device.reading(0, 20, { measuredAt: begin }),
      device.reading(0, 5, { measuredAt: end }),
    ]);
    await device.org.api.delete(path());
    const [{ status, muted }] = (await device.org.api.get('/alerts')).body.items;
    assert.deepEqual([status, muted], ['resolved', true]);
  });

  it('ends at its time, or earlier by a request, once', async () => {
    assert.equal((await device.org.api.delete(path())).status, 404);
    await mute(60);
    assert.equal((await device.org.api.delete(path())).status, 204);
    assert.equal(await shown(), null);
    assert.equal((await device.org.api.delete(path())).status, 404);
    const entries = (await device.org.api.get('/audit')).body.items;
    const ofMutes = entries.filter(({ action }: { action: string }) => /mute/.test(action));
    assert.deepEqual(
      ofMutes.map(({ action, subject, before, after }: Record<string, { reason?: string } | null>) => [
        action,
        subject,
        before?.reason ?? null,
        after?.reason ?? null,
      ]),
      [
        ['unmuteAsset', device.assetId, 'Defrosting', null],
        ['muteAsset', device.assetId, null, 'Defrosting'],
      ],
    );
  });

  it('begins later where a time is given: nothing is muted before, and its times are shown', async () => {
    const webhookId = await device.subscribe(['alert.created']);
    await device.confirmProfile(FRIDGE);
    const [from, until] = [inMinutes(30), inMinutes(50)];
    const planned = await device.org.api.post(path(), { from, until, reason: 'A new door' });
    assert.deepEqual([planned.status, planned.body.from, planned.body.until], [201, from, until]);
    assert.deepEqual(await shown(), planned.body);
    await measure(0, 20);
    const { id } = await onlyAlert();
    const isMuted = async () => (await device.org.api.get(`/alerts/${id}`)).body.muted;
    assert.equal(await isMuted(), false);
    assert.deepEqual(
      (await device.published(webhookId)).map(({ data }) => data.muted),
      [false],
    );
    assert.deepEqual(await mutedSpans(), []);
    await device.dms.service
      .sql('mutes')
      .where({ organization_id: device.org.id, asset_id: device.assetId })
      .update({ starts_at: new Date(Date.now() - MINUTE_MS) });
    assert.equal(await isMuted(), true);
  });

  it('replaces or cancels a planned mute, and keeps one that runs from being ended by a plan', async () => {
    const groupId = await newGroup();
    const plan = (minutes: number, reason: string, to = path()) =>
      device.org.api.post(to, { from: inMinutes(minutes), until: inMinutes(minutes + 10), reason });
    assert.equal((await plan(30, 'A new door')).status, 201);
    assert.equal((await plan(20, 'A new lock')).status, 200);
    await plan(10, 'A new floor', `/groups/${groupId}/mute`);
    assert.equal((await shown()).reason, 'A new floor');
    assert.equal((await device.org.api.delete(path())).status, 204);
    assert.equal((await device.org.api.delete(path())).status, 404);
    await mute(5);
    assert.equal((await shown()).reason, 'Defrosting');
    const refused = await plan(30, 'A new door');
    assert.deepEqual([refused.status, (await shown()).reason], [409, 'Defrosting']);
    await device.org.api.delete(path());
    await plan(30, 'A new door');
    await device.org.api.delete(`/assets/${device.assetId}`);
    const target = { organizationId: device.org.id, assetId: device.assetId };
    assert.equal(await createMutesRepository(device.dms.service.sql).find(target), null);
  });

  it('requires a beginning at most 30 days ahead, and an end at most 30 days after it', async () => {
    const plan = (from: number, until: number) =>
      device.org.api.post(path(), { from: inMinutes(from), until: inMinutes(until), reason: 'A new door' });
    for (const [from, until] of [
      [-1, 10],
      [20, 10],
      [10, 10 + 30 * DAY_MINUTES + 2],
      [30 * DAY_MINUTES + 2, 30 * DAY_MINUTES + 3],
    ] as const)
      assert.equal((await plan(from, until)).status, 400, `${from} to ${until}`);
    assert.equal((await plan(30 * DAY_MINUTES - 1, 60 * DAY_MINUTES - 2)).status, 201);
  });

  it('requires an end at most 30 days ahead', async () => {
    for (const minutes of [-1, 30 * DAY_MINUTES + 2]) assert.equal((await mute(minutes)).status, 400);
    // By the clock of a client that is half a minute fast.
    assert.equal((await mute(30 * DAY_MINUTES + 0.5)).status, 201);
  });

  it('mutes the members of a group as long as they are in it', async () => {
    const groupId = await newGroup();
    const { status, body } = await mute(60, 'A new floor', `/groups/${groupId}/mute`);
    assert.deepEqual([status, body.groupId], [201, groupId]);
    assert.deepEqual((await device.org.api.get(`/groups/${groupId}`)).body.mute, body);
    assert.deepEqual(await shown(), body);
    assert.equal((await device.org.api.delete(path())).status, 404);
    await mute(90);
    assert.equal((await shown()).reason, 'Defrosting');
    await device.org.api.delete(path());
    await leave(groupId);
    assert.equal(await shown(), null);
  });

  it('keeps a mute in the statistics even after the mute and the group are gone', async () => {
    const groupId = await newGroup();
    await mute(10, 'A new floor', `/groups/${groupId}/mute`);
    await leave(groupId);
    const [ofGroup] = await mutedSpans();
    assert.equal(ofGroup?.reason, 'A new floor');
    assert.ok(ofGroup.to < inMinutes(5));
    await mute(10);
    await device.org.api.delete(`/groups/${groupId}`);
    await device.org.api.delete(path());
    const [same, own, ...others] = await mutedSpans();
    assert.deepEqual([same, own?.reason, others], [ofGroup, 'Defrosting', []]);
    await device.org.api.delete(`/assets/${device.assetId}`);
    assert.deepEqual(await mutedSpans(), [same, own]);
  });

  it('lists a mute of the group only in spans in which the asset was a member', async () => {
    const { id } = (await device.org.api.post('/groups', { name: 'Cold rooms' })).body;
    const muted = await mute(60, 'A new floor', `/groups/${id}/mute`);
    await device.org.api.patch(`/assets/${device.assetId}`, { groupId: id });
    await leave(id);
    const [joined, left] = await device.dms.service
      .sql('asset_groups')
      .where({ organization_id: device.org.id, asset_id: device.assetId })
      .orderBy('from_at')
      .select('from_at');
    assert.ok(joined && left);
    const [ofMember, ...others] = await mutedSpans();
    assert.deepEqual([ofMember?.from, others], [joined.from_at.toISOString(), []]);
    const before = { from: muted.body.from, to: joined.from_at.toISOString() };
    const after = { from: new Date(left.from_at.getTime() + 1).toISOString() };
    assert.deepEqual([await mutedSpans(before), await mutedSpans(after)], [[], []]);
  });

  it('ends at once when its end passed while it waited for the asset', async () => {
    const target = { organizationId: device.org.id, assetId: device.assetId };
    const mutes = createMutesRepository(device.dms.service.sql);
    const by = { keyId: null, name: 'Ada' };
    const late = { until: new Date(Date.now() - MINUTE_MS), reason: 'Defrosting', by };
    await mutes.insert(target, late, null);
    assert.deepEqual([await mutes.find(target), await shown(), await mutedSpans()], [null, null, []]);
  });
});
