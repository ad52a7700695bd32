/** Writes protobuf as loggers and their server do, by the schema of logger-messages.proto. */
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';

export const writeMessage = <Schema extends DescMessage>(
  schema: Schema,
  message: MessageInitShape<Schema>,
): Uint8Array => toBinary(schema, create(schema, message));

/** A 0 is not sent, as if it were not set. Empty text is sent, because devices send it. */
export const orUnset = (value: number | null): number | undefined => value || undefined;

export const toSeconds = (time: Date | null | undefined): number =>
  time ? Math.floor(time.getTime() / 1000) : 0;

export const toTextBytes = (text: string | null): Uint8Array | undefined =>
  text === null ? undefined : Buffer.from(text);

export const toSerialBytes = (serialNumber: string): Uint8Array => Buffer.from(serialNumber, 'hex');

/** Bit n is set for position n, 0..31. */
export const toBitMask = (positions: readonly number[]): number =>
  positions.reduce((mask, position) => mask | (1 << position), 0) >>> 0;
