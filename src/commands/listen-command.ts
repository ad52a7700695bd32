/** A temporary webhook: verifies, prints and forwards events while the command runs. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError, verifyWebhook, type WebhookEvent } from '../../client/src/index.ts';
import { cutText } from '../process/cut-text.ts';
import { type Api, byApi } from './api.ts';
import {
  type Command,
  CommandFailed,
  type CommandInput,
  option,
  print,
  UsageError,
  urlOption,
} from './command.ts';
import { toTerminalText } from './print-output.ts';

const HOST = '127.0.0.1';
const BODY_BYTES_MAX = 1_048_576;
const FORWARD_TIMEOUT_MS = 10_000;
const SHOWN_MAX = 160;
/** Events of the other collection of webhooks. */
const READINGS = 'data.measurement';

export const listenCommand: Command = {
  words: ['listen'],
  args: '[--events EVENT,EVENT] [--forward-to URL] [--port N] [--address URL]',
  summary: 'print events as they happen: a webhook that ends with the command',
  details: `Registers a webhook at this machine, verifies each request, prints its event, forwards it if asked to, and removes
the webhook at the end (Ctrl-C). Without --events: every event but ${READINGS}, which must be named.
The service has to reach this machine: with npm start it does; elsewhere give the --address that leads to
http://${HOST}:PORT, such as that of a tunnel. A forwarded request carries the headers and the body as they came, and
the service gets the answer of the receiver.`,
  ...byApi(async (api, input) => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const forwardTo = urlOption(input, 'forward-to');
    const server = createServer((request, response) => {
      receive(request, response, { secret, forwardTo, isJson: input.isJson }).catch(() => response.destroy());
    });
    await listen(server, portOf(input));
    const { port } = server.address() as AddressInfo;
    const url = option(input, 'address') ?? `http://${HOST}:${port}/`;
    // Installed before anything is registered, so that Ctrl-C at any time leaves nothing behind.
    const ended = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
    try {
      const remove = await register(api, url, secret, eventsOf(input));
      if (!input.isJson) print(`Listening at ${url}; Ctrl-C ends.`);
      await ended;
      await remove();
    } finally {
      server.closeAllConnections();
      server.close();
    }
    return undefined;
  }),
};

function portOf(input: CommandInput): number {
  const port = option(input, 'port') ?? '0';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError('--port must be a number from 0 to 65535');
  return Number(port);
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await once(server.listen(port, HOST), 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new CommandFailed(`Port ${port} is taken: choose another one with --port`);
  }
}

const eventsOf = (input: CommandInput): string[] | null => option(input, 'events')?.split(',') ?? null;

/** Returns a function that removes the webhooks. */
async function register(
  { dms }: Api,
  url: string,
  secret: string,
  events: string[] | null,
): Promise<() => Promise<void>> {
  const others = events?.filter((event) => event !== READINGS) ?? null;
  const removals: Array<() => Promise<unknown>> = [];
  const removeAll = async () => void (await Promise.all(removals.map((remove) => remove())));
  try {
    if (events?.includes(READINGS)) {
      const body = { url, secret, name: 'dms listen' };
      const { id: webhookId } = await dms.createCellularWebhook({ body });
      removals.push(() => dms.deleteCellularWebhook({ webhookId }));
    }
    if (others === null || others.length > 0) {
      const body = { url, secret, ...(others && { events: others as never }) };
      const { id: webhookId } = await dms.createWebhook({ body });
      removals.push(() => dms.deleteWebhook({ webhookId }));
    }
  } catch (error) {
    await removeAll();
    throw explained(error, url);
  }
  return removeAll;
}

const ADDRESS_REFUSED = /^url must lead to a public address/;

const explained = (error: unknown, url: string) =>
  error instanceof ApiError && ADDRESS_REFUSED.test(error.message) && new URL(url).hostname === HOST
    ? new UsageError(
        `${error.message}\nThe service does not send to this machine: give an --address that it reaches, or allow ${HOST}/32 in its WEBHOOK_ALLOWED_RANGES`,
      )
    : error;

interface Receiver {
  secret: string;
  forwardTo: string | undefined;
  isJson: boolean;
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { secret, forwardTo, isJson }: Receiver,
): Promise<void> {
  const body = await bodyOf(request);
  const event = await verifyWebhook({ headers: request.headers, body }, secret).catch(
    (error: Error) => error,
  );
  if (event instanceof Error) {
    process.stderr.write(`refused: ${event.message}\n`);
    return void response.writeHead(401).end();
  }
  const status = forwardTo === undefined ? 204 : await forward(forwardTo, request, body);
  const outcome = forwardTo === undefined ? '' : ` → ${status ?? 'no answer'}`;
  print(isJson ? JSON.stringify(event) : `${lineOf(event)}${outcome}`);
  response.writeHead(status ?? 502).end();
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_BYTES_MAX) throw new Error('The body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Null when the receiver did not answer. */
async function forward(url: string, { headers }: IncomingMessage, body: Buffer): Promise<number | null> {
  const kept = Object.entries(headers).filter(
    ([name]) => name.startsWith('webhook-') || name === 'content-type',
  );
  return fetch(url, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: Object.fromEntries(kept) as Record<string, string>,
    redirect: 'manual',
    signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
  }).then(
    ({ status }) => status,
    () => null,
  );
}

function lineOf(event: WebhookEvent): string {
  const { type, timestamp, data } = event as { type: string; timestamp: string; data: unknown };
  const text = JSON.stringify(data);
  return toTerminalText(`${timestamp}  ${type.padEnd(22)}  ${cutText(text, SHOWN_MAX, '…')}`);
}
