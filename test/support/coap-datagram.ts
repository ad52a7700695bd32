/** Encodes CoAP requests and parses answers (RFC 7252, section 3), independently of the gateway's code. */
export type CoapOption = readonly [number: number, value: Buffer];

export interface CoapRequest {
  path: string;
  payload: Buffer;
  /** 0: CON, 1: NON. */
  type: number;
  /** 1: GET, 2: POST. */
  code: number;
  id: number;
  /** Options in addition to the path. */
  options: CoapOption[];
}

export interface CoapReply {
  /** "2.01" */
  code: string;
  /** 2: ACK, 3: RST. */
  type: number;
  bytes: Buffer;
  payload: Buffer;
}

const URI_PATH = 11;
const PAYLOAD_MARKER = 0xff;

export function coapRequest({ path, payload, type, code, id, options }: CoapRequest): Buffer {
  const token = Buffer.from([0x7a, id & 0xff, id >> 8]);
  const head = Buffer.from([0x40 | (type << 4) | token.length, code, id >> 8, id & 0xff]);
  const uriPath = path.split('/').map((segment): CoapOption => [URI_PATH, Buffer.from(segment)]);
  const content = payload.length > 0 ? [Buffer.from([PAYLOAD_MARKER]), payload] : [];
  return Buffer.concat([head, token, ...optionBytes([...uriPath, ...options]), ...content]);
}

/** The gateway's answers have no options and the token of their request. */
export function coapReply(answer: Buffer, request: Buffer): CoapReply {
  const tokenLength = (answer[0] as number) & 15;
  const token = answer.subarray(4, 4 + tokenLength);
  const isReset = answer[1] === 0;
  if (!isReset && !token.equals(request.subarray(4, 4 + ((request[0] as number) & 15)))) {
    throw new Error('The answer has the token of another request');
  }
  const marker = 4 + tokenLength;
  const payload = answer[marker] === PAYLOAD_MARKER ? answer.subarray(marker + 1) : Buffer.alloc(0);
  const code = answer[1] as number;
  return {
    code: `${code >> 5}.${String(code & 31).padStart(2, '0')}`,
    type: ((answer[0] as number) >> 4) & 3,
    bytes: answer,
    payload,
  };
}

/** Options are encoded by the difference of their numbers (section 3.1). */
function optionBytes(options: CoapOption[]): Buffer[] {
  let before = 0;
  return options
    .toSorted(([a], [b]) => a - b)
    .flatMap(([number, value]) => {
      const [delta, length] = [nibble(number - before), nibble(value.length)];
      before = number;
      return [Buffer.from([(delta.first << 4) | length.first]), delta.more, length.more, value];
    });
}

function nibble(value: number): { first: number; more: Buffer } {
  if (value < 13) return { first: value, more: Buffer.alloc(0) };
  if (value < 269) return { first: 13, more: Buffer.from([value - 13]) };
  return { first: 14, more: Buffer.from([(value - 269) >> 8, (value - 269) & 0xff]) };
}
