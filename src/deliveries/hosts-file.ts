/** Names of a hosts file (hosts(5)), and names that always mean this machine (RFC 6761, section 6.3). */
import ipaddr from 'ipaddr.js';

/** The addresses of each name, in the order of the file. */
export type Hosts = ReadonlyMap<string, readonly string[]>;

const LOOPBACK = ['127.0.0.1', '::1'];

export function parseHosts(text: string): Hosts {
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
