/** A replay of any number of deliveries queues each match once, and no other delivery. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { query } from '../../src/db/query.ts';
import { createTransact } from '../../src/db/transaction.ts';
import { createBacklogRepository } from '../../src/deliveries/backlog.repository.ts';
import { FIRST_ID, LAST_ID } from '../../src/process/uuid.ts';
import { useService } from '../support/service.ts';
import { useCustomer } from './harness.ts';

const EVER_SINCE = '2020-01-01T00:00:00Z';

/** Few, and around the number that one statement queues. */
const size = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 9 }) },
  { weight: 1, arbitrary: fc.constantFrom(999, 1_000, 1_001, 2_000, 2_003) },
);

describe('A replay', () => {
  const dms = useService({ withWorker: false });
  const customer = useCustomer(dms);

  const run = (statement: string, bindings: unknown[]) =>
    query<{ id: string }>(dms.service.sql, statement, bindings);

  it('queues each match once, and no other delivery, in any number of statements', () =>
    fc.assert(
      fc.asyncProperty(size, fc.integer({ min: 1, max: 4 }), async (count, every) => {
        const endpoint = await customer.subscribe('http://127.0.0.1:9/');
        await customer.publish(count);
        const ofEndpoint = [customer.id, endpoint.id];
        // Deliveries that match the replay, and others with another end, alternating or in long runs.
        await run(
          `update deliveries d set state = case when n % ?::integer = 0 then 'failed' else 'delivered' end
           from (select id, row_number() over (order by id) as n from deliveries where endpoint_id = ?) as numbered
           where d.organization_id = ? and d.endpoint_id = ? and d.id = numbered.id`,
          [every, endpoint.id, ...ofEndpoint],
        );
        const idsIn = async (state: string) => {
          const rows = await run(
            'select id from deliveries where organization_id = ? and endpoint_id = ? and state = ? order by id',
            [...ofEndpoint, state],
          );
          return rows.map(({ id }) => id);
        };
        const [failed, delivered] = [await idsIn('failed'), await idsIn('delivered')];
        const { body } = await customer.api.post(`${endpoint.path}/replay`, { since: EVER_SINCE });
        assert.deepEqual(body, { queued: failed.length });
        const backlog = createBacklogRepository(dms.service.sql);
        const ref = { organizationId: customer.id, endpointId: endpoint.id };
        for (let statements = 0; await backlog.queueReplay(ref); statements++) {
          assert.ok(statements <= count / 1_000 + 1, 'it ends');
          // Sent and failed again at once, and not queued a second time by the same replay.
          if (statements === 0)
            await run(
              `update deliveries set state = 'failed', updated_at = now()
               where organization_id = ? and endpoint_id = ? and state = 'retrying' and id <= ?`,
              [...ofEndpoint, failed[4] ?? failed.at(-1) ?? '0'],
            );
        }
        assert.deepEqual(await idsIn('failed'), failed.slice(0, 5));
        assert.deepEqual(await idsIn('retrying'), failed.slice(5));
        assert.deepEqual(await idsIn('delivered'), delivered);
        assert.equal((await customer.api.delete(endpoint.path)).status, 204);
      }),
      { numRuns: 8 },
    ));

  it('counts no delivery that is recorded while it is asked for, since it does not send that one', async () => {
    const endpoint = await customer.subscribe('http://127.0.0.1:9/');
    const ref = { organizationId: customer.id, endpointId: endpoint.id };
    const counted = await createTransact(dms.service.sql)(async ({ sql }) => {
      await query(sql, 'select now()');
      await run(
        `insert into deliveries (organization_id, endpoint_id, event_id, event_type, state, updated_at)
         values (?, ?, uuidv7(), 'config.applied', 'delivered', now() + interval '1 second')`,
        [customer.id, endpoint.id],
      );
      const span = { firstId: FIRST_ID, endId: LAST_ID };
      return createBacklogRepository(sql).requestReplay(ref, { ...span, states: ['delivered'] });
    });
    assert.equal(counted, null);
  });

  it('queues a delivered one behind any number of failed ones, and looks at a part of them at a time', async () => {
    const endpoint = await customer.subscribe('http://127.0.0.1:9/');
    await run(
      `insert into deliveries (organization_id, endpoint_id, event_id, event_type, state, updated_at)
       select ?, ?, uuidv7(), 'config.applied', case when n in (1, 25000) then 'delivered' else 'failed' end, now()
       from generate_series(1, 25000) as n`,
      [customer.id, endpoint.id],
    );
    const { body } = await customer.api.post(`${endpoint.path}/replay`, {
      since: EVER_SINCE,
      states: ['delivered'],
    });
    assert.deepEqual(body, { queued: 2 });
    const backlog = createBacklogRepository(dms.service.sql);
    const ref = { organizationId: customer.id, endpointId: endpoint.id };
    let statements = 0;
    while (await backlog.queueReplay(ref)) statements++;
    assert.equal(statements, 3);
    const { items } = (await customer.api.get(`${endpoint.path}/deliveries?state=retrying`)).body;
    assert.equal(items.length, 2);
  });
});
