/**
 * Endpoints for operators of a process, on a port of its own: `/metrics`, `/livez` and `/readyz`. The thread
 * that does the work answers them, so a hanging event loop shows as a probe that times out.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReadReadiness } from './health.ts';

interface MetricsServerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  contentType: string;
  readMetrics(): Promise<string>;
  readReadiness: ReadReadiness;
}

export async function listenMetrics(options: MetricsServerOptions) {
  const { host, port } = options;
  const server = createServer((request, response) => {
    answer(request, response, options).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explainPortError(error, port)));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { contentType, readMetrics, readReadiness }: MetricsServerOptions,
): Promise<void> {
  if (request.url === '/livez') {
    response.end('ok');
  } else if (request.url === '/readyz') {
    const { httpStatus, headers, body } = await readReadiness();
    response.writeHead(httpStatus, { ...headers, 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  } else if (request.url === '/metrics') {
    const text = await readMetrics();
    response.setHeader('Content-Type', contentType);
    response.end(text);
  } else {
    response.writeHead(404).end();
  }
}

/** A second process on the same machine needs its own METRICS_PORT, which is easily forgotten. */
function explainPortError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return new Error(`Port ${port} for metrics is taken: choose another one with METRICS_PORT`);
}
