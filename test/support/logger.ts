/**
 * A logger as it is in the field: raw CoAP datagrams over a socket of its own, protobuf by hand. It shares no line with
 * the gateway, so that the two cannot agree on the same mistake.
 */
import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CoapOption,
  type CoapReply,
  type CoapRequest,
  coapReply,
  coapRequest,
} from './coap-datagram.ts';
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
/** A temperature sensor that failed. */
export const SENSOR_ERROR = 8_388_557;
const TENTHS = 10;

export interface LoggerOptions {
  /** 12 hexadecimal digits. */
  serial: string;
  coapPort: number;
  /** Goes along in the payload; '' is sent empty, as real loggers do. */
  token?: string;
  /** Number of a CoAP option that carries `optionToken`. */
  tokenOption?: number;
  optionToken?: string;
  channelTypes?: number[];
}

export interface FrameOptions {
  confirmable?: boolean;
  /** °C of the temperature channel, the oldest first; a number above 8,000,000 is a sensor's error code. */
  values?: number[];
  /** Of the newest value, whole seconds. */
  at?: Date;
  periodSeconds?: number;
  hash?: number;
  nextTransmissionAt?: Date;
  signal?: number;
  isBatteryOk?: boolean;
  messageId?: number;
  /** Types by channel; values go to each that measures temperature. */
  types?: number[];
  /** In place of its own; null for none. */
  token?: string | null;
}

export interface ReportOptions {
  confirmable?: boolean;
  /** 2 for a report in two parts, sent in this order. */
  order?: [1 | 2, 1 | 2];
  errors?: { codes: number[]; at?: Date };
  hash?: number;
  withTypes?: boolean;
  token?: string | null;
}

/** A rule or a calendar: fields 1 to 4, lists as numbers. */
export type Entry = Record<number, number | number[]>;
/** Field number → value; rules (28) and calendars (47) are lists. */
export type ProtoConfig = Record<number, number | Entry[]>;

export interface Reply extends CoapReply {
  /** The payload of an answer to measurements. */
  config: ProtoConfig;
}

/** What is asked of it; everything else in an answer is a setting. */
const CURRENT_TIME = 8;
const REQUESTS = [6, CURRENT_TIME, 19];
const RULES = 28;
const CALENDARS = 47;
const REPLY_MS = 5_000;

export type Logger = Awaited<ReturnType<typeof openLogger>>;

export async function openLogger(options: LoggerOptions) {
  const { serial, coapPort, tokenOption, optionToken, channelTypes = [TEMPERATURE, 0, 0, 0, 0, 0] } = options;
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const heard: Buffer[] = [];
  socket.on('message', (datagram) => heard.push(datagram));
  let lastId = Math.floor(Math.random() * 60_000);
  /** The configuration that it runs: what goes into its report, field by field. */
  const settings = new Map<number, Buffer>();
  const set = (...fields: Field[]) => {
    for (const [field] of fields) settings.delete(field);
    for (const [field, raw] of fields)
      settings.set(field, Buffer.concat([settings.get(field) ?? Buffer.alloc(0), raw]));
  };
  set(
    uint(2, 60),
    uint(26, 1),
    uint(3, 3_600),
    ...Array.from({ length: 12 }, () => message(RULES, [uint(2, 1)])),
    ...Array.from({ length: 6 }, () => message(CALENDARS, [uint(3, 1)])),
  );

  const identity = (serialField: number, tokenField: number, token = options.token ?? null): Field[] => [
    bytes(serialField, Buffer.from(serial, 'hex')),
    ...(token === null ? [] : [text(tokenField, token)]),
  ];

  const ownOption: CoapOption[] =
    tokenOption === undefined || optionToken === undefined ? [] : [[tokenOption, Buffer.from(optionToken)]];
  const datagramOf = (
    path: string,
    payload: Buffer,
    more: Pick<CoapRequest, 'type' | 'code' | 'id'>,
  ): Buffer => coapRequest({ path, payload, options: ownOption, ...more });

  async function transmit(datagram: Buffer): Promise<void> {
    await new Promise<void>((resolve, reject) =>
      socket.send(datagram, coapPort, '127.0.0.1', (error) => (error ? reject(error) : resolve())),
    );
  }

  /** Waits for one datagram more with the same message id. */
  async function exchange(datagram: Buffer): Promise<Reply> {
    const from = heard.length;
    await transmit(datagram);
    for (const deadline = Date.now() + REPLY_MS; Date.now() < deadline; await sleep(2)) {
      const answer = heard.slice(from).find((each) => each.readUInt16BE(2) === datagram.readUInt16BE(2));
      if (answer) return withConfig(coapReply(answer, datagram));
    }
    throw new Error(`${serial}: no answer within ${REPLY_MS} ms`);
  }

  async function send(
    path: string,
    payload: Buffer,
    { confirmable = true, messageId = nextId(), method = 2 } = {},
  ): Promise<Reply> {
    const datagram = datagramOf(path, payload, { type: confirmable ? 0 : 1, code: method, id: messageId });
    if (confirmable) return exchange(datagram);
    await transmit(datagram);
    return SILENCE;
  }

  const nextId = () => {
    lastId = (lastId + 1) & 0xffff;
    return lastId;
  };

  function framePayload(frame: FrameOptions): Buffer {
    const { values = [4.2], at = new Date(), periodSeconds = 60, types = channelTypes } = frame;
    const oldest = Math.floor(at.getTime() / 1000) - (values.length - 1) * periodSeconds;
    const isError = (value: number) => value > 8_000_000;
    const raw = values.map((value) => (isError(value) ? value : Math.round(value * TENTHS)));
    const start = raw.find((value) => !isError(value)) ?? 0;
    const offsets = raw.map((value) => (isError(value) ? value : value - start));
    const measured = (type: number) => [uint(1, type), uint(2, oldest), sint(4, start), sints(5, offsets)];
    return encoded([
      ...identity(1, 16, frame.token),
      uint(2, frame.isBatteryOk === false ? 0 : 1),
      uint(3, periodSeconds),
      uint(8, 1),
      ...types.map((type) => message(4, type === TEMPERATURE ? measured(type) : type ? [uint(1, type)] : [])),
      ...(frame.nextTransmissionAt ? [uint(5, Math.floor(frame.nextTransmissionAt.getTime() / 1000))] : []),
      ...(frame.signal === undefined ? [] : [uint(7, frame.signal)]),
      uint(9, frame.hash ?? logger.hash),
    ]);
  }

  /** In the parts that it is sent in. */
  function reportPayloads({
    order,
    errors,
    hash = logger.hash,
    withTypes = true,
    token,
  }: ReportOptions): Buffer[] {
    const own = (wanted: (field: number) => boolean): Field[] =>
      [...settings].filter(([field]) => wanted(field));
    const trouble = errors
      ? [uints(20, errors.codes), ...(errors.at ? [uint(38, Math.floor(errors.at.getTime() / 1000))] : [])]
      : [];
    const common = [...identity(25, 24, token), uint(21, hash)];
    const types = withTypes ? [uints(27, channelTypes)] : [];
    if (!order) return [encoded([...own(() => true), ...trouble, ...common, ...types, sint(44, 1)])];
    const parts = {
      1: encoded([...own((field) => field !== CALENDARS), ...common, sint(44, -1)]),
      2: encoded([...own((field) => field === CALENDARS), ...trouble, ...common, ...types, sint(44, 2)]),
    };
    return order.map((part) => parts[part]);
  }

  const logger = {
    serial,
    /** The device's own number for its configuration. */
    hash: 1,
    /** Every datagram that came. */
    heard,
    send,
    exchange,
    nextId,

    /** The datagram of a frame, to be sent more than once. */
    frame: (frame: FrameOptions = {}): Buffer =>
      datagramOf('m', framePayload(frame), {
        type: frame.confirmable === false ? 1 : 0,
        code: 2,
        id: nextId(),
      }),

    measure: ({ confirmable, messageId, ...frame }: FrameOptions = {}): Promise<Reply> =>
      send('m', framePayload(frame), { confirmable, messageId }),

    async report({ confirmable, ...report }: ReportOptions = {}): Promise<Reply[]> {
      const replies: Reply[] = [];
      for (const payload of reportPayloads(report)) replies.push(await send('c', payload, { confirmable }));
      return replies;
    },

    tell: ({ version, rssi, confirmable }: { version: number; rssi?: number; confirmable?: boolean }) =>
      send(
        'i',
        encoded([
          ...identity(1, 16),
          uint(3, version),
          message(13, [uint(1, 1_234), uint(4, 3_600)]),
          ...(rssi === undefined
            ? []
            : [message(14, [uint(1, 4), sints(2, [1, 1, 1, 1, -95, -11, rssi, 9])])]),
        ]),
        { confirmable },
      ),

    /** Runs what an answer brought, as its firmware does: the configuration has another number then. */
    take({ payload }: Reply): void {
      const brought = fieldsOf(payload).filter(({ field }) => !REQUESTS.includes(field));
      if (brought.length === 0) return;
      set(...brought.map(({ field, raw }): Field => [field, raw]));
      logger.hash++;
    },

    /** Somebody with a phone stands beside it. */
    changeOnSite(...fields: Field[]): void {
      set(...fields);
      logger.hash++;
    },

    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
  return logger;
}

const SILENCE: Reply = {
  code: '',
  type: -1,
  bytes: Buffer.alloc(0),
  payload: Buffer.alloc(0),
  config: {},
};

const withConfig = (reply: CoapReply): Reply => ({
  ...reply,
  get config() {
    return configOf(fieldsOf(reply.payload));
  },
});

function configOf(fields: ReadField[]): ProtoConfig {
  const config: ProtoConfig = {};
  for (const { field, value } of fields) {
    if (typeof value === 'number') config[field] = value;
    else config[field] = [...((config[field] as Entry[] | undefined) ?? []), entryOf(fieldsOf(value))];
  }
  return config;
}

const entryOf = (fields: ReadField[]): Entry =>
  Object.fromEntries(
    fields.map(({ field, value }) => [field, typeof value === 'number' ? value : sintsOf(value)]),
  );
