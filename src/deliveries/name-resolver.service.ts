/**
 * Asks name servers for the addresses of a host name, over its own sockets: `dns.lookup` uses the four
 * threads of the process, and a name without an answer would occupy one of them. Honours the hosts file, but
 * not search domains, since customers write the names.
 */

import { Resolver } from 'node:dns/promises';
import { readFileSync, statSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { ResolvedAddress, ResolveName } from './name-lookups.service.ts';

interface NameResolverOptions {
  /** Each is `address` or `address:port`; empty: the servers of the system. */
  servers: readonly string[];
  hostsFile?: string;
}

/** Answers count until then; the caller's signal may end the look-up earlier. */
const ANSWER_MS = 5_000;
/** Interval of further questions beside an unanswered one; the first answer to any of them counts. */
const REPEAT_MS = 1_000;
const QUESTIONS_MAX = 4;
/** How long the addresses of one family wait for the other family. */
const OTHER_FAMILY_MS = 1_000;
/** Keeps a busy receiver from costing a question per request. */
const TTL_SECONDS_MIN = 1;
const HOSTS_TTL_SECONDS = 5;
const NOT_FOUND = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

export function createNameResolver(options: NameResolverOptions): ResolveName {
  const { servers, hostsFile = '/etc/hosts' } = options;
  const readHosts = createHostsReader(hostsFile);
  return async (hostname, signal) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const local = findLocal(name, readHosts());
    if (local.length > 0) return local.map((address) => toAddress(address, HOSTS_TTL_SECONDS));
    return ask(name, servers, signal);
  };
}

async function ask(
  name: string,
  servers: readonly string[],
  signal: AbortSignal,
): Promise<ResolvedAddress[]> {
  const resolvers: Resolver[] = [];
  const open = (nth: number) => {
    const resolver = openResolver(servers, nth);
    resolvers.push(resolver);
    return resolver;
  };
  const cancel = () => {
    for (const resolver of resolvers) resolver.cancel();
  };
  const limit = new AbortController();
  limit.signal.addEventListener('abort', cancel, { once: true });
  const end = () => limit.abort();
  signal.addEventListener('abort', end, { once: true });
  const waits = [setTimeout(end, ANSWER_MS)];
  const families = [
    firstAnswer((nth) => open(nth).resolve4(name, { ttl: true }), limit.signal),
    firstAnswer((nth) => open(nth).resolve6(name, { ttl: true }), limit.signal),
  ];
  for (const family of families)
    family.then(
      () => waits.push(setTimeout(end, OTHER_FAMILY_MS)),
      () => {},
    );
  const answers = await Promise.allSettled(families);
  signal.removeEventListener('abort', end);
  waits.forEach(clearTimeout);
  cancel();
  const found = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  if (found.length === 0) throw toFault(answers.map((each) => (each as PromiseRejectedResult).reason));
  return found.map(({ address, ttl }) => toAddress(address, Math.max(ttl, TTL_SECONDS_MIN)));
}

/**
 * Opens a resolver for one question: it has its own port, can be cancelled alone, and uses the current
 * servers. Questions rotate over the servers, and move on when one refuses.
 */
function openResolver(servers: readonly string[], nth: number): Resolver {
  const resolver = new Resolver({ timeout: ANSWER_MS, tries: 1 });
  const known = servers.length > 0 ? servers : resolver.getServers();
  const first = nth % Math.max(known.length, 1);
  resolver.setServers([...known.slice(first), ...known.slice(0, first)]);
  return resolver;
}

/**
 * Repeats the question while there is no answer, or at once after a failure that another question may not
 * meet.
 */
function firstAnswer<T>(question: (nth: number) => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    let asked = 0;
    let failed = 0;
    let timer: NodeJS.Timeout | undefined;
    function askNext(): void {
      clearTimeout(timer);
      if (asked < QUESTIONS_MAX - 1) timer = setTimeout(askNext, REPEAT_MS);
      question(asked++).then(answer, fail);
    }
    function answer(value: T): void {
      clearTimeout(timer);
      resolve(value);
    }
    function fail(error: NodeJS.ErrnoException): void {
      failed++;
      const isOver = signal.aborted || isMissing(error) || failed === QUESTIONS_MAX;
      if (!isOver && failed < asked) return;
      if (!isOver) {
        askNext();
        return;
      }
      clearTimeout(timer);
      reject(error);
    }
    askNext();
  });
}

const isMissing = ({ code = 'ENOTFOUND' }: { code?: string }) => NOT_FOUND.includes(code);

/** Codes of getaddrinfo: either the name has no address, or no server could answer. */
function toFault(reasons: Array<{ code?: string }>): Error {
  const code = reasons.every(isMissing) ? 'ENOTFOUND' : 'EAI_AGAIN';
  return Object.assign(new Error('the name has no address', { cause: reasons[0] }), { code });
}

const toAddress = (address: string, ttlSeconds: number): ResolvedAddress => ({
  address,
  family: isIPv6(address) ? 6 : 4,
  ttlSeconds,
});

/** Reads the file again when it has changed. */
function createHostsReader(path: string): () => Hosts {
  let version = '';
  let hosts: Hosts = new Map();
  return () => {
    const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 };
    if (version !== `${mtimeMs} ${size}`) {
      hosts = size === 0 ? new Map() : parseHosts(readFileSync(path, 'utf8'));
      version = `${mtimeMs} ${size}`;
    }
    return hosts;
  };
}

/** The addresses of each name, in the order of the file. */
type Hosts = ReadonlyMap<string, readonly string[]>;

/** Addresses of names that always mean this machine (RFC 6761, section 6.3). */
const LOOPBACK = ['127.0.0.1', '::1'];

/** Reads a hosts file (hosts(5)). */
function parseHosts(text: string): Hosts {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    if (!ipaddr.isValid(address)) continue;
    for (const name of names) hosts.set(name, [...(hosts.get(name) ?? []), address]);
  }
  return hosts;
}

/** Empty when a name server has to be asked. */
export function findLocal(name: string, hosts: Hosts): readonly string[] {
  return hosts.get(name) ?? (/(^|\.)localhost$/.test(name) ? LOOPBACK : []);
}
