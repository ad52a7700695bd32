/** The address of a client: the address of its connection, or the one that trusted proxies report. */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

export type ClientAddress = (connectedFrom: string, forwardedFor: string | undefined) => string;

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** `trusted`: addresses and CIDR ranges of proxies. Without any, X-Forwarded-For is ignored. */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  const ranges = trusted.map(toRange);
  const isTrusted = (address: Address) =>
    ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  return (connectedFrom, forwardedFor = '') => {
    let client = parseAddress(connectedFrom);
    if (client === null || !isTrusted(client)) return connectedFrom;
    // Each proxy appends the address of its client; entries to the left of it may be forged.
    for (const hop of forwardedFor.split(',').reverse()) {
      const before = parseAddress(hop.trim());
      if (before === null) break;
      client = before;
      if (!isTrusted(client)) break;
    }
    return client.toString();
  };
}

/** Node joins repeated headers in their order. */
export const addressOf = ({ socket, headers }: IncomingMessage, clientAddress: ClientAddress): string =>
  clientAddress(socket.remoteAddress ?? '', headers['x-forwarded-for'] as string | undefined);

const IPV6_SUBSCRIBER_PARTS = 4;

/**
 * The name by which limits count a client. A host with IPv6 chooses its address within the /64 of its network
 * (RFC 4291, 2.5.4), so these are one client.
 */
export function limitedAs(address: string): string {
  const parsed = parseAddress(address);
  if (parsed === null) return address;
  if (!('parts' in parsed)) return parsed.toString();
  return `${parsed.parts
    .slice(0, IPV6_SUBSCRIBER_PARTS)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

function toRange(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Some proxies add the port: `192.0.2.1:1234`, `[2001:db8::1]:1234`. IPv4 in IPv6 counts as IPv4. */
function parseAddress(text: string): Address | null {
  const [, v6, v4] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
  const address = v6 ?? v4 ?? text;
  return ipaddr.isValid(address) ? ipaddr.process(address) : null;
}
