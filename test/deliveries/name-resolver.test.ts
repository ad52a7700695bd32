/** The addresses of host names, from a name server on this machine and from a hosts file. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNameResolver } from '../../src/deliveries/name-resolver.service.ts';
import { validateEnvironment } from '../../src/process/environment.ts';
import { type Answer, type NameServer, startNameServer, TYPE_A } from '../support/name-server.ts';

const LIMIT_MS = 10_000;
/** Answers after the question was repeated once, and several times. */
const LATE_MS = 1_300;
const VERY_LATE_MS = 3_600;

describe('The resolver of host names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hosts-'));
  const hostsFile = join(folder, 'hosts');
  const names: Record<string, Answer | null> = {
    'receiver.example': { address: '192.0.2.7', ttlSeconds: 30 },
    'late.example': { address: '192.0.2.8', afterMs: LATE_MS },
    'very-late.example': { address: '192.0.2.10', afterMs: VERY_LATE_MS },
    'half.example': { address: '192.0.2.9', ttlSeconds: 0 },
    'silent.example': null,
  };
  const LOST = { address: '192.0.2.11' };
  let lostQuestions = 0;
  let nameServer: NameServer;
  const within = (limitMs: number) => AbortSignal.timeout(limitMs);
  const resolve = (name: string, limitMs = LIMIT_MS) =>
    createNameResolver({ servers: [nameServer.address], hostsFile })(name, within(limitMs));

  before(async () => {
    nameServer = await startNameServer((name, type) => {
      if (name === 'lost.example') return type === TYPE_A && lostQuestions++ === 0 ? null : LOST;
      if (name === 'half.example' && type !== TYPE_A) return null;
      return names[name] ?? (name in names ? null : {});
    });
  });
  after(() => {
    nameServer.stop();
    rmSync(folder, { recursive: true });
  });

  it('answers with all addresses and their time to live', async () => {
    const expected = [{ address: '192.0.2.7', family: 4, ttlSeconds: 30 }];
    assert.deepEqual(await resolve('receiver.example'), expected);
    assert.deepEqual(await resolve('Receiver.Example.'), expected, 'the same name');
  });

  it('accepts an answer that arrives after the question was repeated', async () => {
    assert.equal((await resolve('late.example'))[0]?.address, '192.0.2.8');
  });

  it('accepts an answer after nearly five seconds, and one to a question that was repeated after a loss', async () => {
    const [late, lost] = await Promise.all([resolve('very-late.example', 5_000), resolve('lost.example')]);
    assert.equal(late[0]?.address, '192.0.2.10');
    assert.equal(lost[0]?.address, '192.0.2.11');
  });

  it('asks another server while the first one gives no answer', async () => {
    const mute = await startNameServer(() => null);
    const ask = createNameResolver({ servers: [mute.address, nameServer.address], hostsFile });
    try {
      const [found] = await ask('receiver.example', within(4_000));
      assert.equal(found?.address, '192.0.2.7');
    } finally {
      mute.stop();
    }
  });

  it('omits the addresses of a family that no server answers for', async () => {
    assert.deepEqual(await resolve('half.example'), [{ address: '192.0.2.9', family: 4, ttlSeconds: 1 }]);
  });

  it('distinguishes a name that does not exist from one without an answer', async () => {
    await assert.rejects(resolve('nobody.example'), { code: 'ENOTFOUND' });
    await assert.rejects(resolve('silent.example', 100), { code: 'EAI_AGAIN' });
    const unreachable = createNameResolver({ servers: ['127.0.0.1:9'], hostsFile });
    await assert.rejects(unreachable('receiver.example', within(200)), { code: 'EAI_AGAIN' });
  });

  it('prefers the hosts file to name servers, and notices its changes', async () => {
    writeFileSync(
      hostsFile,
      '# comment\n127.0.0.9\treceiver.example alias # more\n::9 RECEIVER.example\nnonsense x\n',
    );
    const addresses = async (name: string) => (await resolve(name)).map(({ address }) => address);
    const before = nameServer.questions.length;
    assert.deepEqual(await addresses('receiver.example'), ['127.0.0.9', '::9']);
    assert.deepEqual(await addresses('alias'), ['127.0.0.9']);
    assert.equal(nameServer.questions.length, before);
    const one = createNameResolver({ servers: [nameServer.address], hostsFile });
    assert.equal((await one('alias', within(LIMIT_MS)))[0]?.address, '127.0.0.9');
    writeFileSync(hostsFile, '127.0.0.10 alias\n');
    assert.equal((await one('alias', within(LIMIT_MS)))[0]?.address, '127.0.0.10');
    rmSync(hostsFile);
    assert.deepEqual(await addresses('receiver.example'), ['192.0.2.7']);
  });

  it('resolves localhost to this machine, without a name server', async () => {
    for (const name of ['localhost', 'any.localhost.']) {
      assert.deepEqual(
        (await resolve(name)).map(({ address, family }) => [address, family]),
        [
          ['127.0.0.1', 4],
          ['::1', 6],
        ],
      );
    }
  });

  it('reads name servers from DNS_SERVERS, with or without a port', () => {
    const good = '192.0.2.1,192.0.2.1:5353,2001:db8::1,[2001:db8::1]:53';
    assert.equal(validateEnvironment({ DNS_SERVERS: good }).DNS_SERVERS, good);
    createNameResolver({ servers: good.split(','), hostsFile });
    for (const bad of [
      'name.example',
      '192.0.2.1:0',
      '192.0.2.1:99999',
      '192.0.2.300',
      '[192.0.2.1]:53',
      '2001:db8::1:',
    ])
      assert.throws(() => validateEnvironment({ DNS_SERVERS: bad }), /DNS_SERVERS must be IP addresses/, bad);
  });
});
