/** A receiver that answers at once and measures the latency of each event, from the time in its body. */
import { createServer } from 'node:http';

const FAILED_SHARE = 0.2;
let flakyRequests = 0;
/** Selected by the URL: every fifth request fails, or one in five at random. */
const failing: Record<string, () => boolean> = {
  '/each-fifth': () => ++flakyRequests % (1 / FAILED_SHARE) === 0,
  '/random': () => Math.random() < FAILED_SHARE,
};
let latencies: number[] = [];
let perSecond = new Map<number, number>();

/**
 * `sentAt`, which the publisher writes into the body, or else the timestamp of the event. A reading carries
 * the time in whole milliseconds, and the rest of a millisecond as its value.
 */
function parseSentAt(body: string, url: string | undefined): number {
  if (url === '/readings') {
    const [, value, measuredAt = ''] = /"value":([\d.]+).*"measuredAt":"([^"]+)"/.exec(body) ?? [];
    return Date.parse(measuredAt) + Number(value);
  }
  const sentAt = /"sentAt":(\d+(?:\.\d+)?)/.exec(body)?.[1];
  return sentAt ? Number(sentAt) : Date.parse(/"timestamp":"([^"]+)"/.exec(body)?.[1] ?? '');
}

createServer((request, response) => {
  if (request.url === '/livez') return void response.end('ok');
  if (request.url === '/stats') {
    const sorted = latencies.sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
    response.end(
      JSON.stringify({
        count: sorted.length,
        p50: at(0.5),
        p95: at(0.95),
        p99: at(0.99),
        perSecond: [...perSecond],
      }),
    );
    latencies = [];
    perSecond = new Map();
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const now = Date.now();
    latencies.push(
      performance.timeOrigin + performance.now() - parseSentAt(Buffer.concat(chunks).toString(), request.url),
    );
    const second = Math.floor(now / 1000);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    response.writeHead(failing[request.url ?? '']?.() ? 500 : 204).end();
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
