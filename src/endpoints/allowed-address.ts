/**
 * Addresses that deliveries may go to: public ones, and ranges that the operator allows. A customer's URL
 * must not make this service send requests into an internal network (server-side request forgery).
 *
 * Tunnels to IPv4 (NAT64, 6to4, Teredo) are refused as a whole, wherever they end; an IPv4-mapped address is
 * treated as the IPv4 address in it. The special ranges come from ipaddr.js, which follows the registries of
 * IANA.
 */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Checks addresses in URLs and addresses that names resolve to. False for text that is not an address. */
export function isAllowedAddress(text: string, allowedRanges: readonly string[]): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  return isPublic(address) || allowedRanges.some((range) => isWithin(address, range));
}

/** Global unicast is 2000::/3 (RFC 4291, 2.4); ipaddr.js reports `unicast` for every IPv6 range without another name. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

function isWithin(address: Address, range: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(range);
  return network.kind() === address.kind() && address.match(network, bits);
}
