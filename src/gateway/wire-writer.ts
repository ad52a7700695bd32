/**
 * Writing protobuf as loggers and their server do: fields in ascending order, numbers that are 0 left out, lists
 * packed. An explicitly empty text is written, because devices send one.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

export const newWriter = () => new BinaryWriter();

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

/** In unix seconds. */
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
