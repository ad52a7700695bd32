/**
 * How long one turn of the event loop lasts at most while a request is answered. It is measured in processor time: what
 * other processes do to the clock does not count, so the measure needs no luck. The request comes from another process, so
 * that nothing but the service works in this one.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface OutgoingRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface MeasuredAnswer {
  status: number;
  /** The beginning of the answer. */
  text: string;
  longestTurnMs: number;
}

export interface RequestSender {
  send(request: OutgoingRequest): Promise<MeasuredAnswer>;
  stop(): void;
}

const SCRIPT = fileURLToPath(new URL('request-sender.mjs', import.meta.url));

export function startRequestSender(baseUrl: string): RequestSender {
  const child = fork(SCRIPT, { execArgv: [], serialization: 'advanced' });
  const next = async () => (await once(child, 'message'))[0];
  return {
    async send({ path, body, ...request }) {
      const isReady = next();
      child.send({
        ...request,
        url: baseUrl + path,
        body: body === undefined ? undefined : Buffer.from(body),
      });
      await isReady;
      const stopMeasuring = measureTurns();
      const answered = next();
      child.send('send');
      const answer = await answered;
      return { ...answer, longestTurnMs: stopMeasuring() };
    },
    stop: () => void child.kill(),
  };
}

/** Newer versions of Node.js tell the time of the main thread alone; otherwise the collector's threads count as well. */
type CpuUsage = typeof process.cpuUsage;
const cpuUsage: CpuUsage =
  (process as { threadCpuUsage?: CpuUsage }).threadCpuUsage?.bind(process) ?? process.cpuUsage;

/** Answers with what ends it, which gives milliseconds. */
function measureTurns(): () => number {
  let longestMs = 0;
  let isOver = false;
  let before = cpuUsage();
  function endTurn(): void {
    const { user, system } = cpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    before = cpuUsage();
    if (!isOver) setImmediate(endTurn);
  }
  setImmediate(endTurn);
  return () => {
    isOver = true;
    return longestMs;
  };
}
