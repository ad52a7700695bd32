/**
 * Shared by the tests of notification channels: a service with a mail server, a receiver, and a clock that
 * can be advanced.
 */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Settings } from '../../src/process/config.ts';
import { visit } from '../operator/visitor.ts';
import { eventually, register } from '../support/fleet.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import {
  startService,
  type TestOrganization,
  type TestService,
  type TestServiceOptions,
} from '../support/service.ts';
import { useStarted } from '../support/use-started.ts';

/** Stands for Slack or a customer's webhook, and keeps what it receives. */
export async function startMessageReceiver(): Promise<Receiver> {
  const receiver = await startReceiver({ isValidating: false });
  receiver.answer((response) => response.writeHead(200).end('ok'));
  return { ...receiver, url: receiver.url.replace('/hook', '/services/T0/B0/SECRET') };
}

export const useMessageReceiver = (): Receiver =>
  useStarted(startMessageReceiver, (receiver) => receiver.stop());

export interface ReceivedMail {
  from: string;
  to: string[];
  source: string;
}

export type TestMailServer = Awaited<ReturnType<typeof startMailServer>>;

export async function startMailServer() {
  const mails: ReceivedMail[] = [];
  const unknown = new Set<string>();
  const busy = new Set<string>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, callback) {
      const refusals: Array<[Set<string>, string, number]> = [
        [unknown, 'No such mailbox', 550],
        [busy, 'Try again later', 450],
      ];
      const [, text, responseCode] = refusals.find(([addresses]) => addresses.has(address)) ?? [];
      callback(responseCode ? Object.assign(new Error(text), { responseCode }) : undefined);
    },
    onData(stream, { envelope }, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString(),
        });
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const smtp: Settings['smtp'] = {
    url: `smtp://127.0.0.1:${port}`,
    from: 'Monitoring <alerts@example.com>',
    timeoutMs: 5_000,
  };
  return {
    mails,
    smtp,
    /** Makes the mail server reject this mailbox from now on. */
    remove: (address: string) => void unknown.add(address),
    /** Makes the mail server put off mails to this mailbox from now on. */
    putOff: (address: string) => void busy.add(address),
    restore(address: string): void {
      for (const addresses of [unknown, busy]) addresses.delete(address);
    },
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

/** A service that sends its mails to a server of its own, without waiting for more to gather. */
export async function startMailService(options: TestServiceOptions = {}) {
  const mail = await startMailServer();
  const settings = { smtp: mail.smtp, notificationIntervalMs: 0, ...options.settings };
  const deliveryPlan = { pollIntervalMs: 50, ...options.deliveryPlan };
  const dms = await startService({ ...options, settings, deliveryPlan });
  return {
    dms,
    mail,
    async stop() {
      await dms.stop();
      await mail.stop();
    },
  };
}

let count = 0;

/** Reports a low battery or a good one, which opens or resolves an alert. */
export async function newDevice(organization: TestOrganization, name: string) {
  const serial = `BATTERY-${++count}`;
  await register(organization, serial, { name });
  let second = 0;
  return async (batteryStatus: 'low' | 'ok'): Promise<void> => {
    const measuredAt = new Date(Date.now() - 3_600_000 + ++second * 1_000).toISOString();
    const readings = [{ channel: 1, type: 'temperature', value: 5, measuredAt }];
    await organization.device.post(`/devices/${serial}/measurements`, { readings, batteryStatus });
  };
}

/** The text of a sent mail, without the line breaks of the transport. */
export const textOf = ({ source }: ReceivedMail): string =>
  source.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, '%$1');

const linkTo =
  (path: string) =>
  (mail: ReceivedMail): string =>
    new RegExp(`https?://\\S+/operator/${path}(?:\\?|%3F)token(?:=|%3D)[\\w.-]+`)
      .exec(textOf(mail))?.[0]
      .replaceAll('%3D', '=') ?? '';

/** The link that confirms an address. */
export const linkIn = linkTo('confirm-address');

/** The first link to an alert. */
export const alertLinkIn = linkTo('alert-link');

/** Presses the button behind the link, as the owner of the address does. */
export async function confirmAddress(
  dms: TestService,
  mails: ReceivedMail[],
  address: string,
): Promise<void> {
  const [sent] = await eventually(
    async () => mails.filter((mail) => mail.to.includes(address) && linkIn(mail) !== ''),
    ({ length }) => length > 0,
  );
  const token = new URL(linkIn(sent as ReceivedMail)).searchParams.get('token') ?? '';
  const { status, text } = await visit(`${dms.baseUrl}/operator/confirm-address`, { form: { token } });
  if (status !== 200) throw new Error(`Not confirmed: ${status} ${text}`);
}
