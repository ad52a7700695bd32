/** Made-up tokens over UDP, and their cost for the database and for real loggers. Statements are counted. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatKey, hashKey } from '../../src/keys/api-key.ts';
import { createKeysRepository } from '../../src/keys/keys.repository.ts';
import { coapRequest } from '../support/coap-datagram.ts';
import { type CoapEndpoint, openCoapEndpoint } from '../support/coap-endpoint.ts';
import { eventually } from '../support/fleet.ts';
import type { Logger } from '../support/logger.ts';
import { factorySettings, framePayload, TEMPERATURE } from '../support/logger-payloads.ts';
import { useGateway } from './harness.ts';

const FLOOD = 1_500;
/** Number of datagrams between pauses, so that the sockets lose none. */
const SENT_AT_ONCE = 25;
const FAILED_KEYS_PER_MINUTE = 20;
const LOOK_UPS_PER_SECOND = 10;

const madeUpToken = () => formatKey('device', randomBytes(32));

function frameOf(token: string, id: number): Buffer {
  const serial = '282C02FFFFFF';
  const device = { serial, token, hash: 1, channelTypes: [TEMPERATURE], settings: factorySettings() };
  return coapRequest({ path: 'm', payload: framePayload(device, {}), type: 0, code: 2, id, options: [] });
}

describe('A gateway that receives made-up tokens', () => {
  /** How far the service's clock is ahead. */
  let aheadMs = 0;
  const gateway = useGateway(() => ({
    settings: { failedKeysPerMinute: FAILED_KEYS_PER_MINUTE },
    now: () => new Date(Date.now() + aheadMs),
  }));
  let stranger: CoapEndpoint;
  let lookUps: number;
  const count = ({ sql }: { sql: string }) => {
    // The write of the last use is no look-up.
    if (sql.includes('api_keys') && !sql.startsWith('update')) lookUps++;
  };

  before(() => void gateway.dms.service.sql.on('query', count));
  beforeEach(async () => {
    lookUps = 0;
    stranger = await openCoapEndpoint(gateway.dms.coapPort);
  });
  afterEach(() => stranger.close());

  async function flood(): Promise<void> {
    const datagrams = Array.from({ length: FLOOD }, (_, id) => frameOf(madeUpToken(), id));
    for (const [index, datagram] of datagrams.entries()) {
      await stranger.transmit(datagram);
      if (index % SENT_AT_ONCE === 0) await sleep(2);
    }
    let answered: number;
    do {
      answered = stranger.received.length;
      await sleep(300);
    } while (stranger.received.length > answered);
    assert.ok(answered > FLOOD / 2, `${answered} answers`);
  }

  /** Sends frames until the flood is over. */
  async function measureDuring(over: Promise<void>, logger: Logger): Promise<string[]> {
    const codes: string[] = [];
    let isOver = false;
    void over.finally(() => {
      isOver = true;
    });
    while (!isOver) codes.push((await logger.measure()).code);
    return codes;
  }

  it('looks up made-up tokens in few statements, and stores every frame of a logger at the same address', async () => {
    const { logger } = await gateway.newLogger();
    await logger.measure();
    lookUps = 0;
    const startedAt = performance.now();
    const codes = await measureDuring(flood(), logger);
    const seconds = (performance.now() - startedAt) / 1000;
    const most = FAILED_KEYS_PER_MINUTE + (LOOK_UPS_PER_SECOND + 1) * seconds;
    assert.ok(lookUps <= most, `${lookUps} look-ups in ${seconds} s`);
    assert.ok(codes.length > 10, `${codes.length} frames`);
    assert.deepEqual(new Set(codes), new Set(['2.01']));
    const answers = new Set(stranger.received.map((answer) => answer[1]));
    assert.deepEqual(new Set([...answers, 0x81, 0xa3]), new Set([0x81, 0xa3]), '4.01 and 5.03');
  });

  it('accepts a new logger with a new token at the same address, at the latest when it sends again', async () => {
    const over = flood();
    const { logger } = await gateway.newLogger();
    await eventually(
      () => logger.measure(),
      ({ code }) => code === '2.01',
    );
    await over;
  });

  it('accepts a token within 5 s of its creation, although it was refused before', async () => {
    const { org, open, logger } = await gateway.newLogger();
    const token = madeUpToken();
    const early = await open({ serial: logger.serial, token });
    assert.equal((await early.measure()).code, '4.01');
    const key = { organizationId: org.id, kind: 'device' as const, tokenPreview: 'dev_', expiresAt: null };
    await createKeysRepository(gateway.dms.service.sql).insert({ ...key, hash: hashKey(token) });
    aheadMs += 5_000;
    assert.equal((await early.measure()).code, '2.01');
  });
});
