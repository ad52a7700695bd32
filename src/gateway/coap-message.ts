/**
 * Parses CoAP requests and encodes answers (RFC 7252, section 3). coap-packet does the framing; because it
 * accepts tokens and options that are cut off, each datagram is checked first.
 */
import { generate, type ParsedPacket, parse } from 'coap-packet';

export interface CoapRequest {
  confirmable: boolean;
  messageId: number;
  token: Buffer;
  /** `GET`, `POST`, …; the code, such as `0.07`, for other methods. */
  method: string;
  /** Segments joined by '/'. */
  path: string;
  /** The first critical option that is not supported; null when there is none (section 5.4.1). */
  badOption: string | null;
  /** By name, or by number where the RFC has none. */
  options: ParsedPacket['options'];
  payload: Buffer;
  /** Bytes of the whole datagram. */
  byteLength: number;
}

/** `reset`: a confirmable message other than a request, which is answered with a reset (section 4.2). */
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
/** Critical options without a meaning for a server without virtual hosts, queries and representations. */
const HARMLESS_OPTIONS = ['Uri-Host', 'Uri-Port', 'Uri-Path', 'Uri-Query', 'Accept'];
/** Critical options that coap-packet knows by name; an unnamed option is critical when its number is odd. */
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

interface ReadLimits {
  bytesMax: number;
  /** The number of the option that may carry the device token; null for none. */
  tokenOption: number | null;
}

/** Never throws, for any bytes. */
export function parseDatagram(datagram: Buffer, { bytesMax, tokenOption }: ReadLimits): Incoming {
  if (datagram.length < 4 || (datagram[0] as number) >> 6 !== VERSION) return { kind: 'ignored' };
  const type = ((datagram[0] as number) >> 4) & 3;
  // The server sends nothing that is acknowledged, so it expects neither acknowledgements nor resets.
  if (type !== CONFIRMABLE && type !== NON_CONFIRMABLE) return { kind: 'ignored' };
  const confirmable = type === CONFIRMABLE;
  const messageId = datagram.readUInt16BE(2);
  const rejected: Incoming = confirmable ? { kind: 'reset', messageId } : { kind: 'ignored' };
  // An empty message (a ping when confirmable), a response, or a reserved class.
  if (datagram[1] === 0 || (datagram[1] as number) >> 5 !== 0) return rejected;
  const tokenLength = (datagram[0] as number) & 15;
  if (tokenLength > TOKEN_MAX || 4 + tokenLength > datagram.length) return rejected;
  // Only the header of a datagram that is too large is read.
  const token = datagram.subarray(4, 4 + tokenLength);
  if (datagram.length > bytesMax) return { kind: 'tooLarge', confirmable, messageId, token };
  if (!isWellFormed(datagram, 4 + tokenLength)) return rejected;
  const packet = parsePacket(datagram);
  return packet ? { kind: 'request', request: toRequest(packet, datagram.length, tokenOption) } : rejected;
}

function parsePacket(datagram: Buffer): ParsedPacket | null {
  try {
    return parse(datagram);
  } catch {
    return null;
  }
}

/** Whether options and payload end where their lengths say (RFC 7252, figures 7 and 8). */
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

function toRequest(packet: ParsedPacket, byteLength: number, tokenOption: number | null): CoapRequest {
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
    badOption:
      options.map(({ name }) => String(name)).find((name) => isUnsupported(name, tokenOption)) ?? null,
    options,
    payload,
    byteLength,
  };
}

function isUnsupported(name: string, tokenOption: number | null): boolean {
  if (HARMLESS_OPTIONS.includes(name) || name === String(tokenOption)) return false;
  return CRITICAL_NAMES.includes(name) || Number(name) % 2 === 1;
}

/** The text of the first option with that number; null when the request has none. */
export function getOptionText({ options }: CoapRequest, number: number | null): string | null {
  if (number === null) return null;
  const option = options.find(({ name }) => String(name) === String(number));
  return option ? option.value.toString() : null;
}

export interface CoapAnswer {
  /** `2.01`, `4.04`, … */
  code: string;
  payload?: Uint8Array;
  /** Whether the request proves that it was sent from its address. Default: false. */
  isAddressProven?: boolean;
}

/**
 * Limits the answer, because a sender with a forged address must not direct large answers to it: an unproven
 * address gets at most three times the bytes that it sent (RFC 9175, section 2.6), otherwise 4.01 alone.
 */
export function limitAnswer(answer: CoapAnswer, { byteLength, token }: CoapRequest): CoapAnswer {
  const { payload, isAddressProven = false } = answer;
  if (isAddressProven || !payload) return answer;
  const answerBytes = HEAD_BYTES + token.length + MARKER_BYTES + payload.length;
  return answerBytes <= AMPLIFICATION_MAX * byteLength ? answer : UNPROVEN_ADDRESS;
}

const HEAD_BYTES = 4;
const MARKER_BYTES = 1;
const AMPLIFICATION_MAX = 3;
const UNPROVEN_ADDRESS: CoapAnswer = { code: '4.01' };

/** The piggybacked answer (section 5.2.1): it has the message id and the token of the request. */
export function encodeAcknowledgement(
  { messageId, token }: Pick<CoapRequest, 'messageId' | 'token'>,
  { code, payload = EMPTY }: CoapAnswer,
): Buffer {
  return generate({ ack: true, messageId, token, code, payload: asBuffer(payload) }, ACK_BYTES_MAX);
}

/** Larger than any encoded configuration. */
const ACK_BYTES_MAX = 4096;
const EMPTY = new Uint8Array(0);

export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Rejects a message, or answers a ping (section 4.3). */
export const encodeReset = (messageId: number): Buffer => generate({ reset: true, code: '0.00', messageId });
