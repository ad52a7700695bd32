/**
 * CoAP datagrams (RFC 7252, section 3) as the server needs them: told apart before anything is believed, and answers
 * made. Framing is coap-packet's; because it takes cut-off tokens and options for short ones, each datagram is
 * walked through first.
 */
import { generate, type ParsedPacket, parse } from 'coap-packet';

export interface CoapRequest {
  confirmable: boolean;
  messageId: number;
  token: Buffer;
  /** `GET`, `POST`, …; the code's digits for methods that have no name. */
  method: string;
  /** Segments joined by '/'. */
  path: string;
  /** The first critical option that we do not act on; null when there is none (section 5.4.1). */
  badOption: string | null;
  /** By name, or by number where the RFC has none. */
  options: ParsedPacket['options'];
  payload: Buffer;
}

/** `reset`: what is no request, but wants an answer (section 4.2). `ignored`: everything else. */
export type Incoming =
  | { kind: 'request'; request: CoapRequest }
  | { kind: 'tooLarge'; confirmable: boolean; messageId: number; token: Buffer }
  | { kind: 'reset'; messageId: number }
  | { kind: 'ignored' };

const VERSION = 1;
const CONFIRMABLE = 0;
const NON_CONFIRMABLE = 1;
const TOKEN_MAX = 8;
const PAYLOAD_MARKER = 0xff;
const METHODS: Record<string, string> = { '0.01': 'GET', '0.02': 'POST', '0.03': 'PUT', '0.04': 'DELETE' };
/** Critical options that a server without hosts, queries and representations may take and leave aside. */
const HARMLESS_OPTIONS = ['Uri-Host', 'Uri-Port', 'Uri-Path', 'Uri-Query', 'Accept'];
/** The critical ones among the options that coap-packet knows by name; the others tell it by an odd number. */
const CRITICAL_NAMES = [
  'If-Match',
  'If-None-Match',
  'OSCORE',
  'Q-Block1',
  'Q-Block2',
  'Block1',
  'Block2',
  'Proxy-Uri',
  'Proxy-Scheme',
  'OCF-Accept-Content-Format-Version',
  'OCF-Content-Format-Version',
];

export interface ReadLimits {
  bytesMax: number;
  /** The number of an option that we read although the RFC does not know it; null for none. */
  tokenOption: number | null;
}

/** Never throws, whatever the bytes are. */
export function readDatagram(datagram: Buffer, { bytesMax, tokenOption }: ReadLimits): Incoming {
  if (datagram.length < 4 || (datagram[0] as number) >> 6 !== VERSION) return { kind: 'ignored' };
  const type = ((datagram[0] as number) >> 4) & 3;
  // Acknowledgements and resets: the server sends nothing that wants one.
  if (type !== CONFIRMABLE && type !== NON_CONFIRMABLE) return { kind: 'ignored' };
  const confirmable = type === CONFIRMABLE;
  const messageId = datagram.readUInt16BE(2);
  const refused: Incoming = confirmable ? { kind: 'reset', messageId } : { kind: 'ignored' };
  // Empty (a ping when confirmable), a response, or a class that is reserved.
  if (datagram[1] === 0 || (datagram[1] as number) >> 5 !== 0) return refused;
  const tokenLength = (datagram[0] as number) & 15;
  if (tokenLength > TOKEN_MAX || 4 + tokenLength > datagram.length) return refused;
  // Of what is too large only the header is looked at.
  const token = datagram.subarray(4, 4 + tokenLength);
  if (datagram.length > bytesMax) return { kind: 'tooLarge', confirmable, messageId, token };
  if (!isWellFormed(datagram, 4 + tokenLength)) return refused;
  const packet = parsed(datagram);
  return packet ? { kind: 'request', request: requestOf(packet, tokenOption) } : refused;
}

function parsed(datagram: Buffer): ParsedPacket | null {
  try {
    return parse(datagram);
  } catch {
    return null;
  }
}

/** Options and payload end where their lengths say (RFC 7252, figures 7 and 8). */
function isWellFormed(datagram: Buffer, optionsAt: number): boolean {
  let at = optionsAt;
  while (at < datagram.length) {
    const first = datagram[at++] as number;
    if (first === PAYLOAD_MARKER) return at < datagram.length;
    const delta = first >> 4;
    const length = first & 15;
    if (delta === 15 || length === 15) return false;
    at += extraBytes(delta);
    const lengthAt = at;
    at += extraBytes(length);
    if (at > datagram.length) return false;
    if (length < 13) at += length;
    else at += length === 13 ? 13 + (datagram[lengthAt] as number) : 269 + datagram.readUInt16BE(lengthAt);
  }
  return at === datagram.length;
}

const extraBytes = (nibble: number) => (nibble === 13 ? 1 : nibble === 14 ? 2 : 0);

function requestOf(packet: ParsedPacket, tokenOption: number | null): CoapRequest {
  const { code, confirmable, messageId, token, options, payload } = packet;
  return {
    confirmable,
    messageId,
    token,
    method: METHODS[code] ?? code,
    path: options
      .filter(({ name }) => name === 'Uri-Path')
      .map(({ value }) => value.toString())
      .join('/'),
    badOption: options.map(({ name }) => String(name)).find((name) => isBad(name, tokenOption)) ?? null,
    options,
    payload,
  };
}

function isBad(name: string, tokenOption: number | null): boolean {
  if (HARMLESS_OPTIONS.includes(name) || name === String(tokenOption)) return false;
  return CRITICAL_NAMES.includes(name) || Number(name) % 2 === 1;
}

/** The text of the first option of that number; null when the request has none. */
export function optionText({ options }: CoapRequest, number: number | null): string | null {
  if (number === null) return null;
  const option = options.find(({ name }) => String(name) === String(number));
  return option ? option.value.toString() : null;
}

export interface CoapAnswer {
  /** `2.01`, `4.04`, … */
  code: string;
  payload?: Uint8Array;
}

/** The piggy-backed answer (section 5.2.1): an acknowledgement of the same id with the request's token. */
export function acknowledgement(
  { messageId, token }: Pick<CoapRequest, 'messageId' | 'token'>,
  { code, payload = EMPTY }: CoapAnswer,
): Buffer {
  const bytes = generate({ ack: true, messageId, token, code, payload: asBuffer(payload) }, ACK_BYTES_MAX);
  // Into the pool: answers are kept for minutes, and each of them would hold an allocation of its own.
  return Buffer.from(bytes);
}

/** More than any configuration takes; a datagram holds it. */
const ACK_BYTES_MAX = 4096;
const EMPTY = new Uint8Array(0);

export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Says that a message was not understood, or answers a ping (section 4.3). */
export const reset = (messageId: number): Buffer => generate({ reset: true, code: '0.00', messageId });
