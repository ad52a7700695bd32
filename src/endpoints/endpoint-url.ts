/**
 * URLs that an endpoint may have. The host is parsed by the WHATWG parser, which the HTTP client uses too, so
 * 127.1, 0x7f000001, 2130706433 and full-width digits are all recognised as 127.0.0.1. Addresses of a name
 * are checked on connecting.
 */
import { domainToUnicode } from 'node:url';
import ipaddr from 'ipaddr.js';
import { isAllowedAddress } from './allowed-address.ts';

export const URL_LENGTH_MAX = 2048;

const NOT_ABSOLUTE = 'must be an absolute http or https URL, such as https://example.com/hook';

/** The fault of the URL, phrased to follow the name of its field; null when it is valid. */
export function endpointUrlFault(text: string, allowedRanges: readonly string[]): string | null {
  if (text.length > URL_LENGTH_MAX) return `must be at most ${URL_LENGTH_MAX} characters long`;
  if (UNWRITABLE.test(text)) return 'must hold no spaces, control characters or backslashes';
  const authority = AUTHORITY.exec(text)?.[1];
  const url = parse(text);
  if (authority === undefined || url === null) return NOT_ABSOLUTE;
  if (authority.includes('@')) return 'must hold no user name or password: set a secret instead';
  if (text.includes('#')) return 'must hold no fragment (#…)';
  const { hostname, port } = url;
  if (port === '0') return 'must name a port from 1 to 65535, or none';
  return hostFault(hostname, allowedRanges);
}

/**
 * Avoids URL.canParse, which, once compiled, returns false in Node.js 20 for every text with a letter beyond
 * ASCII.
 */
function parse(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** The parser drops or reinterprets these instead of refusing them. */
const UNWRITABLE = /[\s\\\p{Cc}]/u;
const AUTHORITY = /^https?:\/\/([^/?#]+)/i;

function hostFault(hostname: string, allowedRanges: readonly string[]): string | null {
  const addresses = literalAddresses(hostname);
  if (addresses.length === 0)
    return isName(hostname) ? null : `must name a host: ${hostname} is no host name`;
  if (addresses.some((address) => isAllowedAddress(address, allowedRanges))) return null;
  return `must lead to a public address: ${hostname} is none`;
}

/** The addresses of a host that needs no name server. RFC 6761, 6.3: localhost is loopback everywhere. */
function literalAddresses(hostname: string): string[] {
  if (hostname.startsWith('[')) return [hostname.slice(1, -1)];
  if (ipaddr.IPv4.isValidFourPartDecimal(hostname)) return [hostname];
  return /(^|\.)localhost\.?$/.test(hostname) ? ['127.0.0.1', '::1'] : [];
}

/** RFC 1035, 2.3.4: labels of 1 to 63, 253 in all. Underscores are allowed because private networks use them. */
function isName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  const labels = name.split('.');
  return (
    name.length <= 253 &&
    labels.every((label) => label.length >= 1 && label.length <= 63) &&
    !holdsBrokenPunycode(name)
  );
}

/**
 * Node.js 24 accepts a label that begins with xn-- and encodes nothing, and leaves it as it is; earlier
 * versions refuse it.
 */
const holdsBrokenPunycode = (name: string): boolean => /(^|\.)xn--/.test(domainToUnicode(name));
