/**
 * Reads protobuf from devices: strict about wire types and bounds, lenient about unknown fields. A message is read in
 * a loop over its fields; a field that `onField` does not know is skipped, so messages of newer firmware can be read,
 * too. Lists may be packed or not, as the encoding allows both.
 */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** Bytes that are no message of the protocol, or one beyond its bounds. The sender is answered 4.00, if at all. */
export class MalformedMessage extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MalformedMessage';
  }
}

export interface Field {
  number: number;
  wireType: number;
}

/** Reads the field's value, or returns false without reading when the field is unknown. */
export type OnField = (field: Field, reader: BinaryReader) => boolean;

/** @throws MalformedMessage, and nothing else, whatever the bytes are */
export function readMessage(name: string, bytes: Uint8Array, onField: OnField): void {
  const reader = new BinaryReader(bytes);
  try {
    readFields(reader, bytes.length, onField);
  } catch (error) {
    // The library throws Error and RangeError for bad bytes; a TypeError would be a defect in our code.
    if (error instanceof MalformedMessage || error instanceof TypeError) throw error;
    throw new MalformedMessage(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Reads the fields of a message inside this one. */
export function readEmbedded(field: Field, reader: BinaryReader, onField: OnField): void {
  readFields(reader, readEnd(field, reader), onField);
}

function readFields(reader: BinaryReader, end: number, onField: OnField): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    const field = { number: tag >>> 3, wireType: tag & 7 };
    if (field.number === 0) throw new MalformedMessage('A field has no number');
    if (!onField(field, reader)) reader.skip(field.wireType, field.number);
  }
  if (reader.pos !== end) throw new MalformedMessage('A field reaches beyond its message');
}

/** Reads the length of a length-delimited field and returns the position after its bytes. */
function readEnd(field: Field, reader: BinaryReader): number {
  expectType(field, WireType.LengthDelimited);
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw new MalformedMessage(`Field ${field.number} is cut off`);
  return end;
}

function expectType({ number, wireType }: Field, expected: number): void {
  if (wireType !== expected) throw new MalformedMessage(`Field ${number} has wire type ${wireType}`);
}

export function readUint32(field: Field, reader: BinaryReader, max = 0xffffffff): number {
  expectType(field, WireType.Varint);
  const value = reader.uint32();
  if (value > max) throw new MalformedMessage(`Field ${field.number} is ${value}, more than ${max}`);
  return value;
}

export function readInt32(field: Field, reader: BinaryReader): number {
  expectType(field, WireType.Varint);
  return reader.int32();
}

export function readSint32(field: Field, reader: BinaryReader): number {
  expectType(field, WireType.Varint);
  return reader.sint32();
}

export const readBool = (field: Field, reader: BinaryReader): boolean => readUint32(field, reader) !== 0;

/** Unix seconds; 0 means not set. */
export function readTime(field: Field, reader: BinaryReader): Date | null {
  const seconds = readUint32(field, reader);
  return seconds === 0 ? null : new Date(seconds * 1000);
}

/** Invalid UTF-8 becomes U+FFFD; a NUL is refused, because PostgreSQL cannot store it. */
export function readText(field: Field, reader: BinaryReader, bytesMax: number): string {
  const text = textDecoder.decode(readBytes(field, reader, bytesMax));
  if (text.includes('\0')) throw new MalformedMessage(`Field ${field.number} has a NUL`);
  return text;
}

const textDecoder = new TextDecoder();

/** Returns a view of the message's bytes, not a copy. */
export function readBytes(field: Field, reader: BinaryReader, bytesMax: number): Uint8Array {
  expectType(field, WireType.LengthDelimited);
  const bytes = reader.bytes();
  if (bytes.length > bytesMax) throw new MalformedMessage(`Field ${field.number} has over ${bytesMax} bytes`);
  return bytes;
}

const SERIAL_BYTES = 6;

/** Six bytes as upper-case hex. */
export function readSerialNumber(field: Field, reader: BinaryReader): string {
  const bytes = readBytes(field, reader, SERIAL_BYTES);
  if (bytes.length < SERIAL_BYTES) throw new MalformedMessage('The serial number is not 6 bytes');
  return Buffer.from(bytes.buffer, bytes.byteOffset, SERIAL_BYTES).toString('hex').toUpperCase();
}

/** Appends one entry, or several that are packed into one field. */
export function readNumbers(field: Field, reader: BinaryReader, list: number[], { read, max }: ListOf): void {
  const end = field.wireType === WireType.LengthDelimited ? readEnd(field, reader) : null;
  if (end === null) expectType(field, WireType.Varint);
  do {
    if (end !== null && reader.pos >= end) break;
    if (list.length >= max) throw new MalformedMessage(`Field ${field.number} has over ${max} entries`);
    list.push(read === 'sint32' ? reader.sint32() : read === 'int32' ? reader.int32() : reader.uint32());
  } while (end !== null);
  if (end !== null && reader.pos !== end) throw new MalformedMessage(`Field ${field.number} is cut off`);
}

export interface ListOf {
  read: 'uint32' | 'int32' | 'sint32';
  max: number;
}

/** The positions, 0..31 and ascending, of the bits that are set. */
export function toPositions(mask: number): number[] {
  const positions: number[] = [];
  for (let position = 0; position < 32; position++) if ((mask >>> position) & 1) positions.push(position);
  return positions;
}

/** False for a value that is missing. */
export const isWithin = (value: number | undefined, min: number, max: number): boolean =>
  value !== undefined && value >= min && value <= max;

/** Whether no bit but the lowest ones is set. */
export const hasOnlyBits = (mask: number | undefined, bitCount: number): boolean =>
  isWithin(mask, 0, (1 << bitCount) - 1);
