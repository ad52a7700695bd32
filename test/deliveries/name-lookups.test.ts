/** Host names whose look-up takes long or never ends, beside others. */
import assert from 'node:assert/strict';
import {
  createNameLookups,
  type NameLookups,
  type ResolvedAddress,
} from '../../src/deliveries/name-lookups.service.ts';
import { createSender } from '../../src/deliveries/sender.service.ts';
import { serializeEvent } from '../../src/events/event.ts';
import { EVENT_CATALOGUE } from '../../src/events/event-catalogue.schemas.ts';
import { NoTurn } from '../../src/process/keyed-semaphore.ts';
import { eventually } from '../support/fleet.ts';
import { startNameServer } from '../support/name-server.ts';
import { startReceiver, useReceiver } from '../support/receiver.ts';
import { useService } from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';
import { type Endpoint, QUICK, QUICK_PLAN, useCustomer } from './harness.ts';

const AT_ONCE = 8;
const HOME: ResolvedAddress[] = [{ address: '127.0.0.1', family: 4, ttlSeconds: 60 }];
const TEST_BODY = serializeEvent({
  type: 'webhook.test',
  timestamp: new Date(0),
  data: EVENT_CATALOGUE['webhook.test'].example,
});
const never = () => new Promise<never>(() => {});
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('Look-ups of host names', () => {
  const asked: string[] = [];
  const resolve = (hostname: string) => {
    asked.push(hostname);
    if (hostname.startsWith('hang')) return never();
    return Promise.resolve(hostname.startsWith('none') ? [] : HOME);
  };
  const create = (options: { timeoutMs?: number; waitMaxMs?: number } = {}): NameLookups =>
    createNameLookups({ resolve, timeoutMs: 60_000, waitMaxMs: 30, ...options });
  const countOf = (hostname: string) => asked.filter((each) => each === hostname).length;
  beforeEach(() => void asked.splice(0));

  it('asks once for a name on behalf of all callers, and remembers the answer', async () => {
    const names = create();
    await Promise.all(range(20).map((index) => names.prepare('one.test', `organization ${index % 2}`)));
    await names.prepare('one.test', 'another organization');
    assert.equal(countOf('one.test'), 1);
    assert.deepEqual(names.latest('one.test').addresses, HOME);
    await names.prepare('none.test', 'a');
    await names.prepare('none.test', 'b');
    assert.equal(countOf('none.test'), 1, 'a failure is remembered, too');
    assert.equal(names.latest('none.test').error?.code, 'ENOTFOUND');
  });

  it('lets look-ups of one organization wait for each other, but not for another organization', async () => {
    const names = create();
    for (const index of range(AT_ONCE)) void names.prepare(`hang${index}.test`, 'a');
    await assert.rejects(names.prepare('shared.test', 'a'), NoTurn);
    assert.equal(asked.length, AT_ONCE, 'no more at once');
    await names.prepare('shared.test', 'b');
    await names.prepare('shared.test', 'a');
    assert.equal(countOf('shared.test'), 1);
  });

  it('repeats look-ups when the answer has expired, after a minute at most, and soon after a failure', async () => {
    let nowMs = 1_000;
    const ttls: Record<string, number> = { 'short.test': 10, 'long.test': 3_600 };
    const names = createNameLookups({
      resolve: async (hostname) => {
        asked.push(hostname);
        const ttlSeconds = ttls[hostname];
        return ttlSeconds === undefined ? [] : [{ address: '127.0.0.1', family: 4, ttlSeconds }];
      },
      timeoutMs: 60_000,
      waitMaxMs: 30,
      nowMs: () => nowMs,
    });
    for (const [name, goodForMs] of Object.entries({
      'short.test': 10_000,
      'long.test': 60_000,
      'none.test': 2_000,
    })) {
      await names.prepare(name, 'a');
      nowMs += goodForMs - 1;
      await names.prepare(name, 'a');
      assert.equal(countOf(name), 1, name);
      nowMs += 1;
      await names.prepare(name, 'a');
      assert.equal(countOf(name), 2, name);
    }
  });

  it('keeps room for other names of an organization beside names that have failed', async () => {
    let nowMs = 1_000;
    let fails = true;
    const names = createNameLookups({
      resolve: (hostname) => (fails ? Promise.reject(new Error('no server')) : resolve(hostname)),
      timeoutMs: 60_000,
      waitMaxMs: 60_000,
      nowMs: () => nowMs,
    });
    const prepareHanging = () => range(2 * AT_ONCE).map((index) => names.prepare(`hang${index}.test`, 'a'));
    await Promise.all(prepareHanging());
    assert.equal(names.latest('hang0.test').error?.message, 'no server');
    nowMs += 60_000;
    fails = false;
    for (const again of prepareHanging()) void again.catch(() => {});
    await names.prepare('good.test', 'a');
    assert.equal(asked.length, AT_ONCE + 1, 'most of those that failed still wait');
  });

  it('leaves the wait for a turn out of the deadline of an attempt', async () => {
    const receiver = await startReceiver();
    const waitsMs = 3_000;
    const sender = createSender({
      isAllowedAddress: () => true,
      userAgent: 'test',
      now: () => new Date(),
      deadlineMs: waitsMs - 100,
      connectTimeoutMs: 1_000,
      names: create({ timeoutMs: waitsMs, waitMaxMs: 30_000 }),
    });
    const attempt = (hostname: string) =>
      sender.attempt({
        organizationId: 'a',
        url: receiver.url.replace('127.0.0.1', hostname),
        eventId: 'event',
        body: TEST_BODY,
        secrets: [],
      });
    const hanging = range(AT_ONCE).map((index) => attempt(`hang${index}.test`));
    const { verdict, durationMs } = await attempt('good.test');
    assert.equal(verdict, 'delivered');
    assert.ok(durationMs < waitsMs, `${durationMs} ms include the wait`);
    await Promise.all(hanging);
    await sender.close();
    await receiver.stop();
  });
});

describe('Deliveries to names that are slow to answer', () => {
  const hanging = 2 * AT_ONCE + 1;
  const slow = 6;
  let endHanging: () => void;
  const ended = new Promise<void>((resolve) => {
    endHanging = resolve;
  });
  const nameServer = useStarted(
    () =>
      startNameServer((name) => {
        if (name.startsWith('hang')) return ended.then(() => ({}));
        return { address: '127.0.0.1', afterMs: name.startsWith('slow') ? 200 : 0 };
      }),
    (server) => server.stop(),
  );
  const receiver = useReceiver();
  const dms = useService(() => ({
    settings: { webhooks: QUICK, dnsServers: [nameServer.address] },
    deliveryPlan: QUICK_PLAN,
  }));
  const [other, customer] = [useCustomer(dms), useCustomer(dms)];

  const urlOf = (hostname: string) => receiver.url.replace('127.0.0.1', `${hostname}.test`);
  const attemptsOf = async (endpoint: Endpoint) =>
    (await endpoint.deliveries()).map(({ state, attemptCount }) => `${state} after ${attemptCount}`);

  it('delays no other organization, and no later name of its own', async () => {
    const healthy = await customer.subscribe(urlOf('healthy'));
    for (const index of range(hanging)) await other.subscribe(urlOf(`hang${index}`));
    const late = await Promise.all(range(slow).map((index) => other.subscribe(urlOf(`slow${index}`))));
    await other.publish(1);
    await eventually(
      async () => nameServer.questions.length,
      (count) => count >= AT_ONCE,
    );
    await customer.publish(5);
    await healthy.untilAll('delivered', 5);
    assert.deepEqual(await attemptsOf(healthy), Array(5).fill('delivered after 1'));
    const asked = nameServer.questions.filter((name) => name.startsWith('hang'));
    assert.ok(new Set(asked).size < hanging, 'the healthy one did not wait for all the others');
    endHanging();
    await Promise.all(late.map((endpoint) => endpoint.untilAll('delivered', 1)));
    for (const endpoint of late) assert.deepEqual(await attemptsOf(endpoint), ['delivered after 1']);
  });
});
