/** Transactions on pooled connections, both kinds: all or nothing, and isolated from each other. */
import assert from 'node:assert/strict';
import { createBatchTransact } from '../../src/db/batch-transaction.ts';
import { type Database, openDatabase, type PooledConnection, type Sql } from '../../src/db/database.ts';
import { query } from '../../src/db/query.ts';
import { createTransact, joinTransaction } from '../../src/db/transaction.ts';
import { newDatabase } from '../support/servers.ts';

function createSignal(): { given: Promise<void>; give(): void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

describe('Transactions', () => {
  let database: Database;
  let url: string;

  before(async () => {
    url = await newDatabase();
    database = open(1);
    await database.raw('create table notes (note text primary key)');
  });
  after(() => database.destroy());
  afterEach(() => database.raw('delete from notes'));

  const open = (poolSize: number) =>
    openDatabase({ url, poolSize, statementTimeoutMs: 0, applicationName: 'test' });
  const write = (sql: Sql, note: string) => query(sql, 'insert into notes values (?)', [note]);
  const notes = async () =>
    (await query<{ note: string }>(database, 'select note from notes order by 1')).map(({ note }) => note);

  for (const [kind, createFor] of [
    ['of Knex', createTransact],
    ['of batches', createBatchTransact],
  ] as const) {
    describe(kind, () => {
      let transact: ReturnType<typeof createFor>;
      before(() => {
        transact = createFor(database);
      });

      it('returns the result of the work, and runs the effects after the commit', async () => {
        const seen: string[][] = [];
        const result = await transact(async ({ sql, afterCommit }) => {
          await write(sql, 'kept');
          afterCommit(() => seen.push(['effect']));
          return 'done';
        });
        assert.deepEqual([result, seen, await notes()], ['done', [['effect']], ['kept']]);
      });

      it('keeps nothing of a failed work, runs no effect and fails with the same error', async () => {
        const fault = new Error('fault');
        let effects = 0;
        const failing = transact(async ({ sql, afterCommit }) => {
          await write(sql, 'undone');
          afterCommit(() => effects++);
          throw fault;
        });
        await assert.rejects(failing, fault);
        assert.deepEqual([await notes(), effects], [[], 0]);
      });

      it('fails instead of hiding that a swallowed fault of a statement has undone the work', async () => {
        const swallowing = transact(async ({ sql }) => {
          await write(sql, 'undone');
          await write(sql, 'undone').catch(() => undefined);
          return 'kept';
        });
        await assert.rejects(swallowing, /undone|transaction is aborted/);
        assert.deepEqual(await notes(), []);
      });

      it('blocks statements of code that a failed work left running', async () => {
        const next = createSignal();
        let late: Promise<unknown> = Promise.resolve();
        const failing = transact(({ sql }) => {
          late = next.given.then(() => write(sql, 'late'));
          return Promise.all([late, Promise.reject(new Error('fault'))]);
        });
        await assert.rejects(failing, /fault/);
        // Uses the only connection.
        await transact(async ({ sql }) => {
          await write(sql, 'of the next');
          next.give();
          await assert.rejects(late, /is over|already complete/);
        });
        assert.deepEqual(await notes(), ['of the next']);
      });

      it('fails when the connection dies, and the next transaction gets another', async () => {
        const failing = transact(async ({ sql }) => {
          const other = open(1);
          const [row] = await query<{ pid: number }>(sql, 'select pg_backend_pid() as pid');
          await query(other, 'select pg_terminate_backend(?)', [row?.pid]);
          await other.destroy();
          await write(sql, 'lost');
        });
        await assert.rejects(failing, /insert into notes/);
        await transact(({ sql }) => write(sql, 'after'));
        assert.deepEqual(await notes(), ['after']);
      });

      it('repeats the work after a deadlock', async () => {
        await database.raw(`insert into notes values ('a'), ('b')`);
        const two = open(2);
        const both = createSignal();
        let runs = 0;
        let locked = 0;
        const lock = (sql: Sql, note: string) =>
          query(sql, 'select from notes where note = ? for update', [note]);
        const inOrder = (first: string, second: string) =>
          createFor(two)(async ({ sql }) => {
            runs++;
            await lock(sql, first);
            if (++locked === 2) both.give();
            await both.given;
            await lock(sql, second);
          });
        await Promise.all([inOrder('a', 'b'), inOrder('b', 'a')]);
        await two.destroy();
        assert.ok(runs > 2, `${runs} runs`);
      });
    });
  }

  it('keeps the outer work and nothing of a joined work that fails', async () => {
    const effects: string[] = [];
    await createTransact(database)(async (tx) => {
      await write(tx.sql, 'around');
      const joined = joinTransaction(tx);
      const failing = joined(async ({ sql, afterCommit }) => {
        afterCommit(() => effects.push('undone'));
        await write(sql, 'undone');
        await write(sql, 'around');
      });
      await assert.rejects(failing, { code: '23505' });
      await joined(async ({ sql, afterCommit }) => {
        afterCommit(() => effects.push('joined'));
        await write(sql, 'joined');
      });
      assert.deepEqual(effects, []);
    });
    assert.deepEqual([await notes(), effects], [['around', 'joined'], ['joined']]);
  });

  it('keeps the outer work and nothing of a joined work whose fault was swallowed', async () => {
    await createTransact(database)(async (tx) => {
      await write(tx.sql, 'around');
      const swallowing = joinTransaction(tx)(async ({ sql }) => {
        await write(sql, 'undone');
        await write(sql, 'around').catch(() => undefined);
      });
      await assert.rejects(swallowing, /transaction is aborted/);
    });
    assert.deepEqual(await notes(), ['around']);
  });

  describe('of batches, in addition', () => {
    it('keeps the writes of the last statement, and nothing when that one fails', async () => {
      const finishing = (last: string) =>
        createBatchTransact(database)(async ({ sql, finishWith }) => {
          await write(sql, `before ${last}`);
          finishWith(async () => void (await write(sql, last)));
          return last;
        });
      assert.equal(await finishing('last'), 'last');
      await assert.rejects(finishing('last'), { code: '23505' });
      assert.deepEqual(await notes(), ['before last', 'last']);
    });

    it('commits when there is no last statement', async () => {
      await createBatchTransact(database)(async ({ sql, finishWith }) => {
        await write(sql, 'kept');
        finishWith(async () => {});
      });
      assert.deepEqual(await notes(), ['kept']);
    });

    it('keeps nothing when the first statement fails, and reuses the connection', async () => {
      const eager = createBatchTransact(database, { startsWithRead: true });
      await assert.rejects(
        eager(({ sql }) => query(sql, 'select 1 / 0')),
        { code: '22012' },
      );
      await eager(async ({ sql }) => {
        await query(sql, 'select 1');
        await write(sql, 'kept');
      });
      await assert.rejects(
        eager(async ({ sql }) => {
          await query(sql, 'select 1');
          await write(sql, 'undone');
          throw new Error('fault');
        }),
        /fault/,
      );
      assert.deepEqual(await notes(), ['kept']);
    });

    it('closes a connection that does not answer the begin or the commit, without a rollback', async () => {
      for (const unanswered of [/^begin/, /^commit/]) {
        const connection: PooledConnection = await database.client.acquireConnection();
        await database.client.releaseConnection(connection);
        const sent: string[] = [];
        const query = connection.query.bind(connection) as (...given: unknown[]) => unknown;
        const stall = (...given: unknown[]) => {
          sent.push(String(given[0]));
          if (unanswered.test(sent.at(-1) as string)) return Promise.reject(new Error('Query read timeout'));
          return query(...given);
        };
        Object.assign(connection, { query: stall });
        await assert.rejects(
          createBatchTransact(database)(({ sql }) => write(sql, 'lost')),
          /Query read timeout/,
        );
        assert.match(sent.at(-1) as string, unanswered);
        assert.deepEqual(await notes(), []);
        assert.equal(sent.length, unanswered.test('begin') ? 1 : 3, 'the next user gets another connection');
      }
    });

    it('plans the statements of batches once, and leaves other transactions unchanged', async () => {
      const modeIn = async (sql: Sql) =>
        (await query<{ plan_cache_mode: string }>(sql, 'show plan_cache_mode'))[0];
      const own = await createBatchTransact(database)(({ sql }) => modeIn(sql));
      assert.deepEqual(own, { plan_cache_mode: 'force_generic_plan' });
      assert.deepEqual(await createTransact(database)(({ sql }) => modeIn(sql)), { plan_cache_mode: 'auto' });
      assert.deepEqual(await modeIn(database), { plan_cache_mode: 'auto' });
    });
  });
});
