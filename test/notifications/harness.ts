/** What the tests of notification channels share: a service with a mail server, a receiver, and a clock to set ahead. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Settings } from '../../src/process/config.ts';
import { register } from '../support/fleet.ts';
import type { TestOrganization } from '../support/service.ts';

export interface Posted {
  headers: IncomingHttpHeaders;
  body: string;
}

/** What Slack or a customer's webhook is here: it keeps what it gets. */
export async function startMessageReceiver() {
  const received: Posted[] = [];
  let answer: (response: ServerResponse) => void = (response) => void response.writeHead(200).end('ok');
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T0/B0/SECRET`,
    received,
    answer(how: (response: ServerResponse) => void): void {
      answer = how;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface ReceivedMail {
  from: string;
  to: string[];
  source: string;
}

export async function startMailServer() {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, callback) {
      const isUnknown = address.startsWith('nobody@');
      callback(isUnknown ? Object.assign(new Error('No such mailbox'), { responseCode: 550 }) : undefined);
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
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

let count = 0;

/** A device whose battery is low or not, which opens and resolves an alert. */
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
