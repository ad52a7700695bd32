/** An item of a shared transaction that the database refuses fails alone, and its neighbours are stored with the others. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { query } from '../../src/db/query.ts';
import { addCustomer } from '../deliveries/harness.ts';
import { createProfile, FACTORY, registerMany, report } from '../support/fleet.ts';
import { startReceiver } from '../support/receiver.ts';
import { useOrganization, useService } from '../support/service.ts';

const DEVICES = 16;

describe('An item that cannot be written', () => {
  const dms = useService();
  const org = useOrganization(dms);
  let serials: string[];
  let bad: { id: string; serialNumber: string };

  beforeEach(async () => {
    serials = await registerMany(org, DEVICES);
    bad = (await org.api.get('/assets?limit=500')).body.items[5];
  });

  /** Runs `work` while the database refuses every row of the table that violates the condition. */
  async function whileRefused<T>(table: string, condition: string, work: () => Promise<T>): Promise<T> {
    const run = (statement: string) => query(dms.service.sql, statement, []);
    await run(`alter table ${table} add constraint refused check (${condition}) not valid`);
    try {
      return await work();
    } finally {
      await run(`alter table ${table} drop constraint refused`);
    }
  }

  const statusesOf = (answers: Array<{ status: number }>) =>
    Object.fromEntries(serials.map((serial, index) => [serial, answers[index]?.status]));
  const allBut = (expected: number) =>
    Object.fromEntries(serials.map((serial) => [serial, serial === bad.serialNumber ? 500 : expected]));

  it('fails the frame of one device, and answers and stores its neighbours', async () => {
    const measuredAt = new Date().toISOString();
    const readings = [{ channel: 1, type: 'temperature', value: 4, measuredAt }];
    const send = () =>
      Promise.all(serials.map((serial) => org.device.post(`/devices/${serial}/measurements`, { readings })));
    const answers = await whileRefused('measurement_blocks', `asset_id <> '${bad.id}'`, send);
    assert.deepEqual(statusesOf(answers), allBut(202));
    const { body } = await org.api.get('/assets?limit=500');
    const silent = body.items.filter(({ latest }: { latest: unknown[] }) => latest.length === 0);
    assert.deepEqual(
      silent.map(({ serialNumber }: { serialNumber: string }) => serialNumber),
      [bad.serialNumber],
    );
    assert.deepEqual(statusesOf(await send()), statusesOf(serials.map(() => ({ status: 202 }))));
  });

  it('fails the report of one device, and answers and confirms its neighbours', async () => {
    await createProfile(org, { slug: 'daily', intervals: { transmissionIntervalSeconds: 86_400 } });
    const applied = await org.api.put('/devices/config-profiles/daily/apply', { applyToAll: true });
    assert.equal(applied.status, 200, applied.text);
    const confirm = () =>
      Promise.all(serials.map((serial) => report(org, serial, { ...FACTORY, transmissionInterval: 86_400 })));
    const answers = await whileRefused(
      'config_targets',
      `asset_id <> '${bad.id}' or state <> 'applied'`,
      confirm,
    );
    assert.deepEqual(statusesOf(answers), allBut(200));
    const { counts } = (await org.api.get(`/devices/config-jobs/${applied.body.jobId}`)).body;
    assert.deepEqual([counts.applied, counts.waiting], [DEVICES - 1, 1]);
  });

  it('leaves the outcome of one delivery open, and records those of the others', async () => {
    const receiver = await startReceiver();
    const customer = await addCustomer(dms);
    const held: ServerResponse[] = [];
    receiver.answer((response) => void held.push(response));
    try {
      const endpoint = await customer.subscribe(receiver.url);
      await customer.publish(DEVICES);
      const [first] = await endpoint.until((items) => items.length === DEVICES);
      const answerAll = () => {
        receiver.answer((response) => response.writeHead(204).end());
        for (const response of held) response.writeHead(204).end();
        return endpoint.until(
          (items) => items.filter(({ state }) => state === 'delivered').length === DEVICES - 1,
        );
      };
      const items = await whileRefused(
        'deliveries',
        `id <> '${first?.id}' or state <> 'delivered'`,
        answerAll,
      );
      assert.equal(items.find(({ id }) => id === first?.id)?.deliveredAt, null);
    } finally {
      await receiver.stop();
    }
  });
});
