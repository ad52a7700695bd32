/** Receives webhooks and drops what the service did not send. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from '../../src/index.ts';

const { PORT = '9000', WEBHOOK_SECRET = '' } = process.env;

const server = createServer(async (request, response) => {
  try {
    // As it was received: JSON that was parsed and written again has another signature.
    const body = await buffer(request);
    const event = await verifyWebhook({ headers: request.headers, body }, WEBHOOK_SECRET);
    console.log(event.type, request.headers['webhook-id']);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
  }
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`listening on ${(server.address() as AddressInfo).port}`);
});
