/**
 * The customers' receivers: some answer well, others fail, are slow, dead or gone. Each records all requests.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Receipt, ReceiverKind } from './records.ts';

export interface Receivers {
  receipts: Receipt[];
  open(kind: ReceiverKind, name: string): Promise<Receiver>;
  /** From now on every receiver but the one that is gone answers well. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

export interface Receiver {
  name: string;
  kind: ReceiverKind;
  url: string;
  /** Valid secrets for the signature of a request; without any the request must not be signed. */
  secrets: string[];
}

export interface ReceiversOptions {
  random(): number;
  /** The fault of a body by the published document. */
  faultIn(type: string, event: unknown): string | null;
}

const FLAKY_SHARE = 0.2;
const SLOW_MS_MAX = 4_000;
const GONE_AFTER = 10;
const HOST = '127.0.0.1';

export function createReceivers({ random, faultIn }: ReceiversOptions): Receivers {
  const receipts: Receipt[] = [];
  const servers: Array<{ receiver: Receiver; server: Server; port: number }> = [];
  const failedOnce = new Set<string>();
  const counts = new Map<string, number>();
  let isHealed = false;

  /** The status of the answer; null to cut the connection. */
  async function decide({ kind, name }: Receiver, eventId: string): Promise<number | null> {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (kind === 'gone') return count > GONE_AFTER ? 410 : 204;
    if (isHealed) return 204;
    if (kind === 'slow') await delay(SLOW_MS_MAX * random());
    if (kind !== 'flaky' || failedOnce.has(eventId) || random() >= FLAKY_SHARE) return 204;
    // At most once, because the third attempt would be minutes away.
    failedOnce.add(eventId);
    return random() < 0.5 ? 500 : null;
  }

  async function onRequest(receiver: Receiver, headers: Record<string, string>, body: string) {
    const eventId = headers['webhook-id'] ?? '';
    const event = JSON.parse(body) as { type: string };
    const receipt: Receipt = {
      receiver: receiver.name,
      at: new Date().toISOString(),
      eventId,
      type: event.type,
      body,
      isSigned: isSignedBy(receiver.secrets, headers, body),
      answered: null,
      invalid: faultIn(event.type, event),
    };
    receipts.push(receipt);
    receipt.answered = await decide(receiver, eventId);
    return receipt.answered;
  }

  const listener = (receiver: Receiver) =>
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('error', () => undefined);
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const headers = request.headers as Record<string, string>;
        onRequest(receiver, headers, Buffer.concat(chunks).toString()).then(
          (status) => end(response, status),
          () => response.destroy(),
        );
      });
    });

  return {
    receipts,
    async open(kind, name) {
      const receiver: Receiver = { name, kind, url: '', secrets: [] };
      const server = listener(receiver);
      const port = await listen(server, 0);
      receiver.url = `http://${HOST}:${port}/hook`;
      // Its port is reserved, but nothing listens there until it is healed.
      if (kind === 'dead') await close(server);
      servers.push({ receiver, server, port });
      return receiver;
    },
    async heal() {
      isHealed = true;
      for (const { receiver, server, port } of servers)
        if (receiver.kind === 'dead') await listen(server, port);
    },
    async stop() {
      for (const { server } of servers) await close(server);
    },
  };
}

function end(response: ServerResponse, status: number | null): void {
  if (status === null) response.socket?.resetAndDestroy();
  else response.writeHead(status).end();
}

/** Verifies with the independent library of Standard Webhooks. */
function isSignedBy(secrets: string[], headers: Record<string, string>, body: string): boolean {
  if (secrets.length === 0) return headers['webhook-signature'] === undefined;
  return secrets.some((secret) => {
    try {
      new Webhook(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  });
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve) => server.listen(port, HOST, () => resolve((server.address() as AddressInfo).port)));

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
