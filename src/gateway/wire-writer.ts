/**
 * Writes protobuf as loggers and their server do: numbers that are 0 are left out, lists are packed. An empty text is
 * written, because devices send one. Callers write fields in ascending order.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

export const newWriter = () => new BinaryWriter();

export interface FieldWrite {
  field: number;
  write(writer: BinaryWriter): void;
}

/** A message of these fields, in ascending order. */
export function encodeFields(fields: FieldWrite[]): Uint8Array {
  const writer = newWriter();
  for (const { write } of fields.sort((a, b) => a.field - b.field)) write(writer);
  return writer.finish();
}

export function writeUint32(writer: BinaryWriter, field: number, value: number | null | undefined): void {
  if (value) writer.tag(field, WireType.Varint).uint32(value);
}

export function writeInt32(writer: BinaryWriter, field: number, value: number | null | undefined): void {
  if (value) writer.tag(field, WireType.Varint).int32(value);
}

export function writeSint32(writer: BinaryWriter, field: number, value: number | null | undefined): void {
  if (value) writer.tag(field, WireType.Varint).sint32(value);
}

export function writeBool(writer: BinaryWriter, field: number, value: boolean | undefined): void {
  if (value) writer.tag(field, WireType.Varint).bool(true);
}

/** As unix seconds. */
export function writeTime(writer: BinaryWriter, field: number, value: Date | null | undefined): void {
  writeUint32(writer, field, value && Math.floor(value.getTime() / 1000));
}

export function writeText(writer: BinaryWriter, field: number, value: string | null | undefined): void {
  if (typeof value === 'string') writer.tag(field, WireType.LengthDelimited).string(value);
}

export function writeSerialNumber(writer: BinaryWriter, field: number, serialNumber: string): void {
  writer.tag(field, WireType.LengthDelimited).bytes(Buffer.from(serialNumber, 'hex'));
}

export function writeNumbers(
  writer: BinaryWriter,
  field: number,
  values: readonly number[] | undefined,
  as: 'uint32' | 'int32' | 'sint32',
): void {
  if (!values?.length) return;
  writer.tag(field, WireType.LengthDelimited).fork();
  for (const value of values) writer[as](value);
  writer.join();
}

export function writeEmbedded(
  writer: BinaryWriter,
  field: number,
  write: (writer: BinaryWriter) => void,
): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write(writer);
  writer.join();
}

/** Bit n is set for position n, 0..31. */
export const toBitMask = (positions: readonly number[]): number =>
  positions.reduce((mask, position) => mask | (1 << position), 0) >>> 0;
