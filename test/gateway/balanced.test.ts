/**
 * Requirements for a balancer in front of several gateways. Only one gateway knows the parts of a report and
 * the address that a token has authenticated: a logger has to stay at its gateway, and may change it at the
 * price of a repeated message.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { startUdpBalancer } from '../../dev/balancer/udp-balancer.ts';
import { compose } from '../../src/compose/service.ts';
import { createLog } from '../../src/process/log.ts';
import { configOf, register } from '../support/fleet.ts';
import { type Logger, openLogger } from '../support/logger.ts';
import { useService } from '../support/service.ts';

describe('Several gateways behind a balancer', () => {
  const dms = useService({ withWorker: false });
  const stops: Array<() => Promise<unknown>> = [];
  const gateways: Array<{ port: number; stop(deadlineMs: number): Promise<void> }> = [];

  before(async () => {
    for (let count = 0; count < 2; count++) {
      const service = compose({ settings: dms.settings, log: createLog('silent') });
      const gateway = await service.startGateway();
      gateways.push(gateway);
      stops.push(async () => {
        await gateway.stop(100);
        await service.close();
      });
    }
  });
  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  async function newLogger(serial: string, coapPort: number, known?: string): Promise<Logger> {
    if (!known) await register(dms, serial);
    const token = known ?? (await dms.issueKey(dms.id, 'device')).token;
    const logger = await openLogger({ serial, coapPort, token });
    stops.push(() => logger.close());
    return logger;
  }
  const codes = (replies: Array<{ code: string }>) => replies.map(({ code }) => code);

  it('accepts a report in parts and without a token when datagrams of an address stay at one gateway', async () => {
    const balancer = await startUdpBalancer(gateways.map(({ port }) => port));
    stops.push(balancer.stop);
    for (const serial of ['28BC000000B1', '28BC000000B2', '28BC000000B3']) {
      const logger = await newLogger(serial, balancer.port);
      assert.equal((await logger.measure()).code, '2.01');
      assert.deepEqual(codes(await logger.report({ order: [1, 2], token: '' })), ['2.01', '2.01']);
      assert.equal((await configOf(dms, serial)).syncStatus, 'applied', serial);
    }
  });

  it('drops a report whose parts go to different gateways, and accepts the next whole one', async () => {
    const [first = 0, second = 0] = gateways.map(({ port }) => port);
    const { token } = await dms.issueKey(dms.id, 'device');
    await register(dms, '28BC000000B4');
    const here = await newLogger('28BC000000B4', first, token);
    const there = await newLogger('28BC000000B4', second, token);
    await here.report({ order: [1, 1] });
    await there.report({ order: [2, 2], hash: here.hash });
    assert.equal((await configOf(dms, '28BC000000B4')).syncStatus, 'no_device_report');
    await there.report({ order: [1, 2], hash: here.hash });
    assert.equal((await configOf(dms, '28BC000000B4')).syncStatus, 'applied');
  });

  it('requests the token of a logger again after its gateway has gone, with its next frame', async () => {
    const balancer = await startUdpBalancer(gateways.map(({ port }) => port));
    stops.push(balancer.stop);
    const logger = await newLogger('28BC000000B5', balancer.port);
    await logger.measure();
    await gateways[0]?.stop(100);
    // The datagram to the stopped gateway is lost, as on any network.
    await logger.measure({ confirmable: false });
    // The balancer, which runs in this process, reads in a later turn of the event loop that it was refused.
    for (let turn = 0; turn < 20; turn++) await delay(5);
    assert.deepEqual(codes(await logger.report({ token: '' })), ['4.01']);
    await logger.measure();
    assert.deepEqual(codes(await logger.report({ token: '' })), ['2.01']);
  });
});
