/**
 * Where deliveries may go: public addresses, and what the operator allows. Everything else is somebody's inside: a
 * customer's URL must not make this service knock there.
 *
 * Tunnels to IPv4 (NAT64, 6to4, Teredo) are refused whole, whatever they lead to; an IPv4-mapped address is the IPv4
 * address that it holds. The special ranges are ipaddr.js's, which follow the registries of IANA.
 */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** For literals in URLs and for what names resolve to; text that is no address is not allowed. */
export function isAllowedAddress(text: string, allowedRanges: readonly string[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return isPublic(address) || allowedRanges.some((range) => isWithin(address, range));
}

/** Global unicast is 2000::/3 (RFC 4291, 2.4); ipaddr.js calls all of IPv6 unicast that has no other name. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

function isWithin(address: Address, range: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(range);
  return network.kind() === address.kind() && address.match(network, bits);
}
