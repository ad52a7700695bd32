/**
 * Reads and writes protobuf of devices by the schema of logger-messages.proto: strict about wire types and bounds,
 * lenient about unknown fields, so that messages of newer firmware can be read, too. Lists may be packed or
 * not, as the encoding allows both.
 */
import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/**
 * Bytes that are not a message of the protocol, or one beyond its bounds. The sender is answered with 4.00,
 * if at all.
 */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

/** @throws MalformedMessage, and nothing else, for any bytes */
export function readMessage<Schema extends DescMessage>(
  name: string,
  schema: Schema,
  bytes: Uint8Array,
): MessageShape<Schema> {
  try {
    checkFields(schema, new BinaryReader(bytes), bytes.length);
    return fromBinary(schema, bytes, { readUnknownFields: false });
  } catch (error) {
    // The library throws Error and RangeError for bad bytes; a TypeError would be a defect of the service.
    if (error instanceof MalformedMessage || error instanceof TypeError) throw error;
    throw new MalformedMessage(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** The library would misread a field with another wire type, or one that reaches beyond its message. */
function checkFields(schema: DescMessage, reader: BinaryReader, end: number): void {
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = fieldsOf(schema).get(number);
    if (!field) reader.skip(wireType, number);
    else checkField(field, reader, wireType);
  }
  if (reader.pos !== end) throw new MalformedMessage('A field reaches beyond its message');
}

function checkField(field: DescField, reader: BinaryReader, wireType: WireType): void {
  const isPacked = field.fieldKind === 'list' && wireType === WireType.LengthDelimited;
  const isLengthDelimited = field.message || isPacked || field.scalar === ScalarType.BYTES;
  if (wireType !== (isLengthDelimited ? WireType.LengthDelimited : WireType.Varint))
    throw new MalformedMessage(`${field.localName} has wire type ${wireType}`);
  if (field.message) checkFields(field.message, reader, readEnd(field, reader));
  else if (isPacked) checkPacked(reader, readEnd(field, reader));
  else reader.skip(wireType, field.number);
}

function checkPacked(reader: BinaryReader, end: number): void {
  while (reader.pos < end) reader.uint32();
  if (reader.pos !== end) throw new MalformedMessage('An entry reaches beyond its list');
}

/** Reads the length of a length-delimited field and returns the position after its bytes. */
function readEnd({ localName }: DescField, reader: BinaryReader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new MalformedMessage(`${localName} is cut off`);
  return end;
}

const fieldsBySchema = new WeakMap<DescMessage, Map<number, DescField>>();

function fieldsOf(schema: DescMessage): Map<number, DescField> {
  const found = fieldsBySchema.get(schema) ?? new Map(schema.fields.map((field) => [field.number, field]));
  fieldsBySchema.set(schema, found);
  return found;
}

export function atMost(value: number, max: number, name: string): number {
  if (value > max) throw new MalformedMessage(`${name} is ${value}, more than ${max}`);
  return value;
}

export function atMostEntries<Entry>(list: Entry[], max: number, name: string): Entry[] {
  if (list.length > max) throw new MalformedMessage(`${name} has over ${max} entries`);
  return list;
}

/** Unix seconds; 0 means not set. */
export const toTime = (seconds: number): Date | null => (seconds === 0 ? null : new Date(seconds * 1000));

/** Null: not sent. Invalid UTF-8 becomes U+FFFD; a NUL is refused, because PostgreSQL cannot store it. */
export function toText(bytes: Uint8Array | undefined, bytesMax: number, name: string): string | null {
  if (!bytes) return null;
  if (bytes.length > bytesMax) throw new MalformedMessage(`${name} has over ${bytesMax} bytes`);
  const text = textDecoder.decode(bytes);
  if (text.includes('\0')) throw new MalformedMessage(`${name} has a NUL`);
  return text;
}

const textDecoder = new TextDecoder();
const SERIAL_BYTES = 6;

/** Six bytes as upper-case hex. */
export function toSerialNumber(bytes: Uint8Array): string {
  if (bytes.length !== SERIAL_BYTES) throw new MalformedMessage('The serial number is not 6 bytes');
  return Buffer.from(bytes).toString('hex').toUpperCase();
}

/** The positions, 0..31 and ascending, of the bits that are set. */
export function toPositions(mask: number): number[] {
  const positions: number[] = [];
  for (let position = 0; position < 32; position++) if ((mask >>> position) & 1) positions.push(position);
  return positions;
}

/** False for a missing value. */
export const isWithin = (value: number | undefined, min: number, max: number): value is number =>
  value !== undefined && value >= min && value <= max;

/** Whether only the lowest bits are set. */
export const hasOnlyBits = (mask: number | undefined, bitCount: number): mask is number =>
  isWithin(mask, 0, (1 << bitCount) - 1);

export const writeMessage = <Schema extends DescMessage>(
  schema: Schema,
  message: MessageInitShape<Schema>,
): Uint8Array => toBinary(schema, create(schema, message));

export const toSeconds = (time: Date | null | undefined): number =>
  time ? Math.floor(time.getTime() / 1000) : 0;

/** Bit n is set for position n, 0..31. */
export const toBitMask = (positions: readonly number[]): number =>
  positions.reduce((mask, position) => mask | (1 << position), 0) >>> 0;
