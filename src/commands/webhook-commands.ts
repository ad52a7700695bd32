/** Commands for webhooks, by API: list them, and send example events to a receiver. */
import { randomUUID } from 'node:crypto';
import { sign } from '../endpoints/endpoint-secret.ts';
import { byApi } from './api.ts';
import { readApiDocument } from './api-document-file.ts';
import { type Command, CommandFailed, required, UsageError, urlOption } from './command.ts';
import { readSecret } from './read-input.ts';

const EVERY = '\n  ';

export const webhookCommands: Command[] = [
  {
    words: ['webhooks', 'list'],
    operations: ['listWebhooks', 'listCellularWebhooks'],
    args: '',
    summary: 'list the webhooks of both collections',
    ...byApi(async ({ dms }) => {
      const [cellular, events] = await Promise.all([dms.listCellularWebhooks(), dms.listWebhooks()]);
      const all = [...cellular.items, ...events.items];
      const rows = all.map(({ id, recType, url, health, delivery }) => [
        ...[id, recType, health.state, health.since, String(health.backlog)],
        ...[delivery.lastDeliveredAt, url],
      ]);
      return {
        headings: ['ID', 'KIND', 'STATE', 'SINCE', 'WAITING', 'LAST DELIVERED AT', 'URL'],
        rows,
        items: all,
      };
    }),
  },
  {
    words: ['trigger'],
    args: 'EVENT --to URL [--secret]',
    summary: 'send the example of an event from here to a receiver, signed as the service signs',
    details: `Nothing happens in the service: this is for the author of a receiver. The examples are those of the OpenAPI document.
--secret asks for the secret without showing it, or reads it from the standard input; without it the request has no signature. Exit code 1: the receiver did not answer with 2xx.`,
    isRemote: true,
    run: async (input) => {
      const to = urlOption(input, 'to') as string;
      const type = required(input, 0, 'EVENT');
      const body = JSON.stringify(exampleOf(type));
      const secret = input.options.secret === true ? await readSecret('secret: ') : undefined;
      const headers = signed(body, secret);
      const { status, ok } = await post(to, body, headers);
      if (!ok) process.exitCode = 1;
      return { text: `${type} → ${to}: ${status}`, value: { type, to, status } };
    },
  },
];

async function post(to: string, body: string, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(to, { method: 'POST', body, headers, redirect: 'manual' });
  } catch (error) {
    const { cause } = error as { cause?: Error };
    throw new CommandFailed(`The receiver cannot be reached: ${cause?.message ?? String(error)}`);
  }
}

function exampleOf(type: string): object {
  const { webhooks } = readApiDocument();
  const content = webhooks[type]?.post.requestBody?.content['application/json'];
  if (!content) throw new UsageError(`EVENT must be one of:${EVERY}${Object.keys(webhooks).join(EVERY)}`);
  return { ...(content.example as object), timestamp: new Date().toISOString() };
}

/** Empty without a secret. */
function signed(body: string, secret: string | undefined): Record<string, string> {
  const content = { id: `msg_${randomUUID()}`, timestampSeconds: Math.floor(Date.now() / 1_000), body };
  return {
    'Content-Type': 'application/json',
    'webhook-id': content.id,
    'webhook-timestamp': String(content.timestampSeconds),
    ...(secret !== undefined && { 'webhook-signature': sign(content, [secret]) }),
  };
}
