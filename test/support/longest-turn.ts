/**
 * The longest turn of the event loop while a request is answered. It is measured in processor time, which
 * other processes do not affect, so the measure needs no luck. The request comes from another process, so
 * that only the service works in this one.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readSync } from 'node:fs';
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

/**
 * Two clocks of processor time, in milliseconds, each wrong in its own way: that of the process is exact and
 * also counts the threads that compile code and collect garbage beside the loop; that of the main thread, which
 * Linux alone has, moves in steps of up to 4 ms. A turn took at most what the smaller of them says, and a step.
 */
const CLOCKS: ReadonlyArray<() => number> = [
  ofProcess,
  ...(existsSync('/proc/self/schedstat') ? [ofMainThread()] : []),
];

function ofMainThread(): () => number {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const text = Buffer.alloc(64);
  return () => Number.parseInt(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)), 10) / 1e6;
}

function ofProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What parsing the text of reference takes on the machine on which the bounds of tests were set. */
const REFERENCE_PARSE_MS = 6.7;
const REFERENCE_JSON = JSON.stringify(
  Array.from({ length: 20_000 }, (_, index) => ({ serialNumber: `DEVICE-${index}`, floor: index })),
);

/** How much longer this machine takes now than the one on which the bounds were set, at least 1. */
export function slowness(): number {
  const costs = Array.from({ length: 5 }, () => {
    const before = ofProcess();
    JSON.parse(REFERENCE_JSON);
    return ofProcess() - before;
  });
  return Math.max(1, Math.min(...costs) / REFERENCE_PARSE_MS);
}

/** Returns a function that ends the measurement and returns milliseconds. */
function measureTurns(): () => number {
  let longestMs = 0;
  let isOver = false;
  let before = CLOCKS.map((clock) => clock());
  function endTurn(): void {
    const now = CLOCKS.map((clock) => clock());
    longestMs = Math.max(longestMs, Math.min(...now.map((ms, index) => ms - (before[index] as number))));
    before = now;
    if (!isOver) setImmediate(endTurn);
  }
  setImmediate(endTurn);
  return () => {
    isOver = true;
    return longestMs;
  };
}
