/**
 * Asks name servers for the addresses of a host name, over sockets of its own: `dns.lookup` runs on the four threads
 * that the whole process shares, and a name that never answers would occupy one of them. The hosts file is honoured;
 * search domains are not, since customers write the names.
 */
import { Resolver } from 'node:dns/promises';
import { readFileSync, statSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { findLocal, type Hosts, parseHosts } from './hosts-file.ts';
import type { ResolvedAddress, ResolveName } from './name-lookups.service.ts';

export interface NameResolverOptions {
  /** `address` or `address:port`; empty: those of the system. */
  servers: readonly string[];
  hostsFile?: string;
}

/** Of the first try; each further one waits longer. The caller's signal ends them all. */
const TRY_MS = 1_000;
const TRIES = 4;
/** How long the addresses of one family wait for those of the other. */
const OTHER_FAMILY_MS = 1_000;
/** So that a busy receiver does not cost a question for every request. */
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

/** A resolver for each look-up: it has a port of its own, can be cancelled alone, and knows the servers of now. */
async function ask(
  name: string,
  servers: readonly string[],
  signal: AbortSignal,
): Promise<ResolvedAddress[]> {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  const waits: NodeJS.Timeout[] = [];
  const limitOther = () => waits.push(setTimeout(cancel, OTHER_FAMILY_MS));
  const families = [resolver.resolve4(name, { ttl: true }), resolver.resolve6(name, { ttl: true })];
  for (const family of families) family.then(limitOther, () => {});
  signal.addEventListener('abort', cancel, { once: true });
  const answers = await Promise.allSettled(families);
  signal.removeEventListener('abort', cancel);
  waits.forEach(clearTimeout);
  const found = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  if (found.length === 0) throw toFault(answers.map((each) => (each as PromiseRejectedResult).reason));
  return found.map(({ address, ttl }) => toAddress(address, Math.max(ttl, TTL_SECONDS_MIN)));
}

/** In the terms of getaddrinfo: the name has no address, or nobody could say. */
function toFault(reasons: Array<{ code?: string }>): Error {
  const isMissing = reasons.every((reason) => NOT_FOUND.includes(reason?.code ?? 'ENOTFOUND'));
  const code = isMissing ? 'ENOTFOUND' : 'EAI_AGAIN';
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
