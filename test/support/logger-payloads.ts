/** The payloads that a logger sends, and the configuration in the answers it gets (Efento's .proto files). */
import {
  bytes,
  encoded,
  type Field,
  fieldsOf,
  message,
  type ReadField,
  sint,
  sints,
  sintsOf,
  text,
  uint,
  uints,
} from './protobuf.ts';

export const TEMPERATURE = 1;
export const HUMIDITY = 2;
/** The error code of a failed temperature sensor. */
export const SENSOR_ERROR = 8_388_557;
const ERRORS_FROM = 8_000_000;
const TENTHS = 10;

const RULES = 28;
const CALENDARS = 47;
/** Fields of an answer other than settings: two requests, and the time. */
const REQUESTS = [6, 8, 19];

export interface FrameOptions {
  /** °C of the temperature channels, oldest first; a number above 8,000,000 is a sensor's error code. */
  values?: number[];
  /** Time of the newest value, in whole seconds. */
  at?: Date;
  periodSeconds?: number;
  hash?: number;
  nextTransmissionAt?: Date;
  signal?: number;
  /** Sent from firmware 07 on. */
  batteryLevel?: number;
  isBatteryOk?: boolean;
  /** Measurement types by channel; each temperature channel has these values. */
  types?: number[];
  /** Replaces the device's own; null for none. */
  token?: string | null;
}

export interface ReportOptions {
  /** Splits the report in two parts, sent in this order. */
  order?: [1 | 2, 1 | 2];
  errors?: { codes: number[]; at?: Date };
  hash?: number;
  withTypes?: boolean;
  token?: string | null;
}

export interface InfoOptions {
  /** 0x0702 means 07.02. */
  version: number;
  rssi?: number;
}

/** The data in the payloads of a device. */
export interface DevicePayloadState {
  serial: string;
  token?: string;
  channelTypes: number[];
  /** The device's own number for its configuration. */
  hash: number;
  settings: Settings;
}

/** The encoded fields of the configuration that the device runs, by number. */
export type Settings = Map<number, Buffer>;

export const factorySettings = (): Settings =>
  withSettings(new Map(), [
    uint(2, 60),
    uint(26, 1),
    uint(3, 3_600),
    ...Array.from({ length: 12 }, () => message(RULES, [uint(2, 1)])),
    ...Array.from({ length: 6 }, () => message(CALENDARS, [uint(3, 1)])),
  ]);

/** Fields replace those with the same number; several with one number are a list. */
export function withSettings(settings: Settings, fields: Field[]): Settings {
  const next = new Map(settings);
  for (const [field] of fields) next.delete(field);
  for (const [field, raw] of fields)
    next.set(field, Buffer.concat([next.get(field) ?? Buffer.alloc(0), raw]));
  return next;
}

/** The settings in the payload of an answer. */
export const settingsIn = (payload: Buffer): Field[] =>
  fieldsOf(payload)
    .filter(({ field }) => !REQUESTS.includes(field))
    .map(({ field, raw }): Field => [field, raw]);

export function framePayload(device: DevicePayloadState, frame: FrameOptions): Buffer {
  const { types = device.channelTypes, nextTransmissionAt, signal, batteryLevel, periodSeconds = 60 } = frame;
  const samples = sampleFields(frame);
  const channel = (type: number): Field[] => {
    if (type === TEMPERATURE) return [uint(1, type), ...samples];
    return type ? [uint(1, type)] : [];
  };
  return encoded([
    ...identity(device, { serialField: 1, tokenField: 16 }, frame.token),
    uint(2, frame.isBatteryOk === false ? 0 : 1),
    uint(3, periodSeconds),
    uint(8, 1),
    ...types.map((type) => message(4, channel(type))),
    ...(nextTransmissionAt ? [uint(5, unixSeconds(nextTransmissionAt))] : []),
    ...(signal === undefined ? [] : [uint(7, signal)]),
    uint(9, frame.hash ?? device.hash),
    ...(batteryLevel === undefined ? [] : [uint(18, batteryLevel)]),
  ]);
}

/** Time, start point and offsets of a channel. */
function sampleFields({ values = [4.2], at = new Date(), periodSeconds = 60 }: FrameOptions): Field[] {
  const oldest = unixSeconds(at) - (values.length - 1) * periodSeconds;
  const isError = (value: number) => value > ERRORS_FROM;
  const raw = values.map((value) => (isError(value) ? value : Math.round(value * TENTHS)));
  const start = raw.find((value) => !isError(value)) ?? 0;
  const offsets = raw.map((value) => (isError(value) ? value : value - start));
  return [uint(2, oldest), sint(4, start), sints(5, offsets)];
}

/** One payload, or one for each part. */
export function reportPayloads(device: DevicePayloadState, report: ReportOptions): Buffer[] {
  const { order, errors, hash = device.hash, withTypes = true, token } = report;
  const all = [...device.settings];
  const common = [...identity(device, { serialField: 25, tokenField: 24 }, token), uint(21, hash)];
  const last = [...errorFields(errors), ...common, ...(withTypes ? [uints(27, device.channelTypes)] : [])];
  if (!order) return [encoded([...all, ...last, sint(44, 1)])];
  const parts = {
    1: encoded([...all.filter(([field]) => field !== CALENDARS), ...common, sint(44, -1)]),
    2: encoded([...all.filter(([field]) => field === CALENDARS), ...last, sint(44, 2)]),
  };
  return order.map((part) => parts[part]);
}

const errorFields = (errors: ReportOptions['errors']): Field[] =>
  errors ? [uints(20, errors.codes), ...(errors.at ? [uint(38, unixSeconds(errors.at))] : [])] : [];

export const infoPayload = (device: DevicePayloadState, { version, rssi }: InfoOptions): Buffer =>
  encoded([
    ...identity(device, { serialField: 1, tokenField: 16 }),
    uint(3, version),
    message(13, [uint(1, 1_234), uint(4, 3_600)]),
    ...(rssi === undefined ? [] : [message(14, [uint(1, 4), sints(2, [1, 1, 1, 1, -95, -11, rssi, 9])])]),
  ]);

function identity(
  device: DevicePayloadState,
  { serialField, tokenField }: { serialField: number; tokenField: number },
  token = device.token ?? null,
): Field[] {
  return [
    bytes(serialField, Buffer.from(device.serial, 'hex')),
    ...(token === null ? [] : [text(tokenField, token)]),
  ];
}

const unixSeconds = (at: Date) => Math.floor(at.getTime() / 1000);

/** A rule or a calendar: fields 1 to 4, lists as numbers. */
export type Entry = Record<number, number | number[]>;
/** By field number; rules (28) and calendars (47) are lists. */
export type ProtoConfig = Record<number, number | Entry[]>;

/** The payload of an answer to measurements. */
export function decodeConfig(payload: Buffer): ProtoConfig {
  const config: ProtoConfig = {};
  for (const { field, value } of fieldsOf(payload)) {
    if (typeof value === 'number') config[field] = value;
    else config[field] = [...((config[field] as Entry[] | undefined) ?? []), toEntry(fieldsOf(value))];
  }
  return config;
}

const toEntry = (fields: ReadField[]): Entry =>
  Object.fromEntries(
    fields.map(({ field, value }) => [field, typeof value === 'number' ? value : sintsOf(value)]),
  );
