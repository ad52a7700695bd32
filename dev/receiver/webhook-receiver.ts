/**
 * A receiver for webhooks, to inspect them and to try retries: it verifies signatures, can fail the first
 * requests, and keeps received events. It listens on loopback.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook, type WebhookRequest } from '../../client/src/index.ts';
import { toOneLine } from '../../src/process/markdown-text.ts';

export interface ReceiverOptions {
  /** 0: a free port. */
  port: number;
  /** Null: signatures are not checked. */
  secret: string | null;
  /** How many requests are first answered with 503. */
  failFirst: number;
  onRequest?(received: ReceivedEvent): void;
}

export interface ReceivedEvent {
  at: Date;
  /** The webhook-id: the same in every attempt. */
  id: string;
  type: string;
  data: Record<string, unknown>;
  /** good, not checked, or the reason why it is not good. */
  signature: string;
  statusCode: number;
}

export interface WebhookReceiver {
  url: string;
  readonly received: readonly ReceivedEvent[];
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const BODY_BYTES_MAX = 1024 * 1024;
const KEPT_MAX = 1_000;

export async function startWebhookReceiver(options: ReceiverOptions): Promise<WebhookReceiver> {
  const { port, secret, failFirst, onRequest = () => undefined } = options;
  const received: ReceivedEvent[] = [];
  let count = 0;

  async function onEvent(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = request.method === 'POST' ? await bodyOf(request) : null;
    if (body === null) return void response.writeHead(request.method === 'POST' ? 413 : 405).end();
    const at = new Date();
    const signature =
      secret === null ? 'not checked' : await checkSignature({ headers: request.headers, body }, secret);
    const isTrusted = signature === 'good' || signature === 'not checked';
    const statusCode = count++ < failFirst ? 503 : isTrusted ? 204 : 401;
    const event = { at, id: header(request, 'webhook-id'), signature, statusCode, ...eventOf(body) };
    received.push(event);
    if (received.length > KEPT_MAX) received.shift();
    onRequest(event);
    response.writeHead(statusCode).end();
  }

  const server = createServer((request, response) => {
    onEvent(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/events`,
    received,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** One line for the terminal, which text of others does not steer. */
export function eventLine({ at, type, data, signature, statusCode }: ReceivedEvent): string {
  const values = ['serialNumber', 'type', 'status', 'jobId'].flatMap((key) => data[key] ?? []);
  const time = at.toISOString().slice(11, 23);
  return toOneLine(`${time}  ${type}  ${values.join(' ')}  answered ${statusCode}, signature ${signature}`);
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function eventOf(body: string): Pick<ReceivedEvent, 'type' | 'data'> {
  try {
    const { type, data } = JSON.parse(body) as { type?: unknown; data?: unknown };
    return { type: String(type), data: typeof data === 'object' && data !== null ? { ...data } : {} };
  } catch {
    return { type: 'no JSON', data: {} };
  }
}

const header = (request: IncomingMessage, name: string) => String(request.headers[name] ?? '');

const checkSignature = (request: WebhookRequest, secret: string): Promise<string> =>
  verifyWebhook(request, secret).then(
    () => 'good',
    ({ message }: Error) => `not good: ${message}`,
  );
