/**
 * A logger as in the field: CoAP datagrams from its own socket, with payloads encoded by the tests. It shares
 * no code with the gateway, so that both cannot make the same mistake.
 */
import { type CoapOption, type CoapReply, type CoapRequest, coapRequest } from './coap-datagram.ts';
import { openCoapEndpoint } from './coap-endpoint.ts';
import {
  type DevicePayloadState,
  decodeConfig,
  type FrameOptions,
  factorySettings,
  framePayload,
  type InfoOptions,
  infoPayload,
  type ProtoConfig,
  type ReportOptions,
  reportPayloads,
  settingsIn,
  TEMPERATURE,
  withSettings,
} from './logger-payloads.ts';
import type { Field } from './protobuf.ts';

export interface LoggerOptions {
  /** 12 hexadecimal digits. */
  serial: string;
  coapPort: number;
  /** Token in the payload; '' is sent as an empty text, as real loggers do. */
  token?: string;
  /** Number of a CoAP option that carries `optionToken`. */
  tokenOption?: number;
  optionToken?: string;
  channelTypes?: number[];
}

export interface Reply extends CoapReply {
  /** The payload of an answer to measurements. */
  readonly config: ProtoConfig;
}

interface SendOptions {
  /** Default: true. */
  confirmable?: boolean;
  messageId?: number;
  /** 1: GET, 2: POST. */
  method?: number;
}

export type Logger = Awaited<ReturnType<typeof openLogger>>;

export async function openLogger(options: LoggerOptions) {
  const { serial, coapPort, token, channelTypes = [TEMPERATURE, 0, 0, 0, 0, 0] } = options;
  const endpoint = await openCoapEndpoint(coapPort);
  const device: DevicePayloadState = { serial, token, channelTypes, hash: 1, settings: factorySettings() };

  const toDatagram = (path: string, payload: Buffer, head: Pick<CoapRequest, 'type' | 'code' | 'id'>) =>
    coapRequest({ path, payload, options: tokenOptions(options), ...head });

  const exchange = async (datagram: Buffer) => withConfig(await endpoint.exchange(datagram));

  async function send(path: string, payload: Buffer, how: SendOptions = {}): Promise<Reply> {
    const { confirmable = true, messageId = endpoint.nextId(), method = 2 } = how;
    const datagram = toDatagram(path, payload, { type: confirmable ? 0 : 1, code: method, id: messageId });
    if (confirmable) return exchange(datagram);
    await endpoint.transmit(datagram);
    return NO_REPLY;
  }

  function runSettings(fields: Field[]): void {
    device.settings = withSettings(device.settings, fields);
    device.hash++;
  }

  return {
    serial,
    /** The device's own number for its configuration. */
    get hash() {
      return device.hash;
    },
    /** Every datagram received, oldest first. */
    received: endpoint.received,
    send,
    exchange,

    /** The datagram of a frame, to be sent more than once. */
    frame: (frame: FrameOptions = {}): Buffer =>
      toDatagram('m', framePayload(device, frame), { type: 0, code: 2, id: endpoint.nextId() }),

    measure: ({ confirmable, messageId, ...frame }: FrameOptions & SendOptions = {}): Promise<Reply> =>
      send('m', framePayload(device, frame), { confirmable, messageId }),

    async report({ confirmable, ...report }: ReportOptions & SendOptions = {}): Promise<Reply[]> {
      const replies: Reply[] = [];
      for (const payload of reportPayloads(device, report))
        replies.push(await send('c', payload, { confirmable }));
      return replies;
    },

    sendInfo: (info: InfoOptions): Promise<Reply> => send('i', infoPayload(device, info)),

    /** Applies the settings of an answer; as in firmware, the hash changes with them. */
    applyAnswer({ payload }: Reply): void {
      const settings = settingsIn(payload);
      if (settings.length > 0) runSettings(settings);
    },

    /** Changes settings on site, as with the maker's app. */
    changeOnSite: (...fields: Field[]): void => runSettings(fields),

    close: endpoint.close,
  };
}

const tokenOptions = ({ tokenOption, optionToken }: LoggerOptions): CoapOption[] =>
  tokenOption === undefined || optionToken === undefined ? [] : [[tokenOption, Buffer.from(optionToken)]];

/** Stands for the missing answer to a non-confirmable message. */
const NO_REPLY: Reply = { code: '', type: -1, bytes: Buffer.alloc(0), payload: Buffer.alloc(0), config: {} };

const withConfig = (reply: CoapReply): Reply => ({
  ...reply,
  get config() {
    return decodeConfig(reply.payload);
  },
});
