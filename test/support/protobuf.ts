/** The part of the protobuf encoding that a logger needs, written from its description, not from the gateway's code. */
export type Field = [number: number, bytes: Buffer];

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  do {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}

const zigzag = (value: number) => (BigInt(value) << 1n) ^ (BigInt(value) >> 63n);
const tagged = (field: number, wireType: 0 | 2, rest: Buffer[]): Field => [
  field,
  Buffer.concat([varint(BigInt((field << 3) | wireType)), ...rest]),
];

export const uint = (field: number, value: number): Field => tagged(field, 0, [varint(BigInt(value))]);
export const sint = (field: number, value: number): Field => tagged(field, 0, [varint(zigzag(value))]);
export const bytes = (field: number, value: Buffer): Field =>
  tagged(field, 2, [varint(BigInt(value.length)), value]);
export const text = (field: number, value: string): Field => bytes(field, Buffer.from(value));
export const uints = (field: number, values: number[]): Field =>
  bytes(field, Buffer.concat(values.map((value) => varint(BigInt(value)))));
export const sints = (field: number, values: number[]): Field =>
  bytes(field, Buffer.concat(values.map((value) => varint(zigzag(value)))));
export const message = (field: number, fields: Field[]): Field => bytes(field, encoded(fields));
export const encoded = (fields: Field[]): Buffer => Buffer.concat(fields.map(([, each]) => each));

/** A field as sent: each entry of a repeated field is one. `raw` includes the tag. */
export interface ReadField {
  field: number;
  raw: Buffer;
  value: number | Buffer;
}

export function fieldsOf(payload: Buffer): ReadField[] {
  const fields: ReadField[] = [];
  let at = 0;
  const next = () => {
    const [value, end] = varintAt(payload, at);
    at = end;
    return Number(value);
  };
  while (at < payload.length) {
    const start = at;
    const tag = next();
    const content = next();
    const isBytes = (tag & 7) === 2;
    if (isBytes) at += content;
    if (at > payload.length || (!isBytes && (tag & 7) !== 0))
      throw new Error('The answer is not valid protobuf');
    const value = isBytes ? payload.subarray(at - content, at) : content;
    fields.push({ field: tag >> 3, raw: payload.subarray(start, at), value });
  }
  return fields;
}

export function sintsOf(packed: Buffer): number[] {
  const values: number[] = [];
  for (let at = 0; at < packed.length; ) {
    const [value, end] = varintAt(packed, at);
    values.push(Number((value >> 1n) ^ -(value & 1n)));
    at = end;
  }
  return values;
}

function varintAt(from: Buffer, start: number): [value: bigint, end: number] {
  let value = 0n;
  for (let at = start, shift = 0n; at < from.length; at++, shift += 7n) {
    const byte = from[at] as number;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return [value, at + 1];
  }
  throw new Error('The answer is cut off');
}
