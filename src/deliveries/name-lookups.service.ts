/**
 * Addresses of the receivers' host names, looked up before an attempt begins. Each organization has a few
 * look-ups under way, with separate places for names that failed last time, and concurrent callers share the
 * look-up of a name: slow names delay no other organization. Without a turn in time, the attempt does not
 * begin.
 */
import { createBoundedCache } from '../process/bounded-cache.ts';
import { createKeyedSemaphore } from '../process/keyed-semaphore.ts';

export interface ResolvedAddress {
  address: string;
  family: number;
  /** 0 or absent: the answer serves the present callers only. */
  ttlSeconds?: number;
}

/** All addresses of a name. Rejects with `code` ENOTFOUND when it has none. */
export type ResolveName = (hostname: string, signal: AbortSignal) => Promise<ResolvedAddress[]>;

interface NameLookupsOptions {
  resolve: ResolveName;
  /** Time limit of one look-up, counted from its turn. */
  timeoutMs: number;
  /** Longest wait for a turn. */
  waitMaxMs: number;
  /** Called when a look-up had no turn in time. */
  onRefused?(): void;
  /** Default: `performance.now()`. */
  nowMs?(): number;
}

interface NameAnswer {
  addresses: ResolvedAddress[];
  /** Why there are no addresses. */
  error: NodeJS.ErrnoException | null;
}

export type NameLookups = ReturnType<typeof createNameLookups>;

interface StoredAnswer extends NameAnswer {
  freshUntilMs: number;
}

const PER_ORGANIZATION_MAX = 8;
const IN_FLIGHT_MAX = 256;
const NAMES_MAX = 10_000;
const TTL_MS_MAX = 60_000;
/** Less than the first wait of the retry schedule, so that each retry looks up again. */
const FAILURE_TTL_MS = 2_000;

export function createNameLookups(options: NameLookupsOptions) {
  const { resolve, timeoutMs, waitMaxMs, nowMs = () => performance.now() } = options;
  const answers = createBoundedCache<string, StoredAnswer>(NAMES_MAX);
  const turns = createKeyedSemaphore({
    perKeyMax: PER_ORGANIZATION_MAX,
    totalMax: IN_FLIGHT_MAX,
    waitMaxMs,
    ...(options.onRefused && { onRefused: options.onRefused }),
  });
  /** Keyed by organization and name, so that callers only wait in the queue of their own organization. */
  const prepared = new Map<string, Promise<number>>();
  /** Keyed by name. */
  const underWay = new Map<string, Promise<void>>();

  const isFresh = (hostname: string) => (answers.get(hostname)?.freshUntilMs ?? 0) > nowMs();

  function lookUpInTurn(hostname: string, organizationId: string): Promise<number> {
    const hasFailed = answers.get(hostname)?.error != null;
    return turns.run(hasFailed ? `${organizationId} failed` : organizationId, async () => {
      const startedAt = nowMs();
      if (!isFresh(hostname)) await once(underWay, hostname, () => lookUp(hostname));
      return startedAt;
    });
  }

  async function lookUp(hostname: string): Promise<void> {
    const { answer, ttlMs } = await answerOf(hostname);
    answers.set(hostname, { ...answer, freshUntilMs: nowMs() + ttlMs });
  }

  async function answerOf(hostname: string): Promise<{ answer: NameAnswer; ttlMs: number }> {
    try {
      const addresses = await withinTime(timeoutMs, (signal) => resolve(hostname, signal));
      if (addresses.length === 0) throw fault('ENOTFOUND');
      return { answer: { addresses, error: null }, ttlMs: toTtlMs(addresses) };
    } catch (error) {
      const answer = { addresses: [], error: error as NodeJS.ErrnoException };
      return { answer, ttlMs: FAILURE_TTL_MS };
    }
  }

  return {
    /**
     * Makes sure that there is an answer or a failure. Resolves with the time at which the wait for a turn
     * ended.
     * @throws NoTurn when there was none in time.
     */
    async prepare(hostname: string, organizationId: string): Promise<number> {
      const askedAt = nowMs();
      if (isFresh(hostname)) return askedAt;
      const startedAt = await once(prepared, `${organizationId} ${hostname}`, () =>
        lookUpInTurn(hostname, organizationId),
      );
      return Math.max(askedAt, startedAt);
    },
    /** The answer of the latest look-up. */
    latest: (hostname: string): NameAnswer =>
      answers.get(hostname) ?? { addresses: [], error: fault('EAI_AGAIN') },
  };
}

const fault = (code: string) => Object.assign(new Error('the name was not looked up'), { code });

const toTtlMs = (addresses: ResolvedAddress[]) =>
  Math.min(TTL_MS_MAX, ...addresses.map(({ ttlSeconds = 0 }) => ttlSeconds * 1000));

/** Joins the work under way for this key, or begins it. */
function once<T>(underWay: Map<string, Promise<T>>, key: string, begin: () => Promise<T>): Promise<T> {
  const begun = underWay.get(key);
  if (begun) return begun;
  const work = begin().finally(() => underWay.delete(key));
  underWay.set(key, work);
  return work;
}

async function withinTime<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(fault('EAI_AGAIN'));
      controller.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([work(controller.signal), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
