import autocannon from 'autocannon';

export interface LoadOptions {
  url: string;
  connections: number;
  seconds: number;
  headers: Record<string, string>;
  paths: string[];
}

export interface LoadResult {
  perSecond: number;
  p50: number;
  p99: number;
  errors: number;
}

/** Closed loop: each connection sends its next request after the answer to the last one. */
export async function load({ url, connections, seconds, headers, paths }: LoadOptions): Promise<LoadResult> {
  const run = (duration: number) =>
    autocannon({
      url,
      connections,
      duration,
      headers,
      requests: paths.map((path) => ({ method: 'GET', path })),
    });
  await run(2);
  const result = await run(seconds);
  return {
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    errors: result.errors + result.non2xx,
  };
}
