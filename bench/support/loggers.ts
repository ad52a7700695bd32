/** Many loggers that send confirmable frames over a few sockets, and time the acknowledgements. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { generate } from 'coap-packet';
import { encodeMeasurements } from '../../dev/simulator/logger-messages.ts';

export interface LoggersOptions {
  port: number;
  /** One token for all, or by the number of the device. */
  token: string | ((device: number) => string);
  sockets?: number;
  /** Serial of the device with that number, from 1. */
  toSerial(device: number): string;
  /** Of a frame; ten a minute apart by default. */
  samples?: Samples;
}

export interface Samples {
  /** By channel; a frame has two of them. */
  count: number;
  periodSeconds: number;
  /** Unix time of the first sample of round 0. */
  startSeconds: number;
}

export interface Acknowledged {
  latenciesMs: number[];
  /** Number of frames without an acknowledgement within ten seconds. */
  lost: number;
  seconds: number;
  /** Number of answers other than 2.01. */
  refused: number;
}

const SAMPLES = 10;
const CHANNELS = 2;
export const SAMPLES_PER_FRAME = SAMPLES * CHANNELS;
const ACK_TIMEOUT_MS = 10_000;
const CREATED = 0x41;

/** New readings of temperature and humidity. */
function encodeFrame(serialNumber: string, token: string, round: number, samples: Samples): Buffer {
  const { count, periodSeconds, startSeconds } = samples;
  const timestamp = startSeconds + round * count * periodSeconds;
  const channel = (number: number, type: number, startPoint: number) => ({
    number,
    type,
    timestamp,
    startPoint,
    sampleOffsets: Array.from({ length: count }, (_, index) => (index * 7 + round) % 13),
  });
  return Buffer.from(
    encodeMeasurements({
      serialNumber,
      batteryOk: true,
      measurementPeriodBase: periodSeconds,
      measurementPeriodFactor: 1,
      nextTransmissionAt: new Date(Date.now() + 3_600_000),
      transferReason: 0,
      signal: 40,
      configurationHash: null,
      extendedConfigurationHash: null,
      cloudToken: token,
      batteryLevel: null,
      channels: [channel(1, 1, 40), channel(2, 2, 40)],
    }),
  );
}

export type Loggers = Awaited<ReturnType<typeof createLoggers>>;

const everyMinute = (): Samples => ({
  count: SAMPLES,
  periodSeconds: 60,
  startSeconds: Math.floor(Date.now() / 1000) - 86_400,
});

export async function createLoggers({
  port,
  token,
  sockets: count = 16,
  toSerial,
  samples = everyMinute(),
}: LoggersOptions) {
  const waiting = Array.from({ length: count }, () => new Map<number, (code: number) => void>());
  const sockets = await Promise.all(
    waiting.map(async (exchanges) => {
      const socket: Socket = createSocket({ type: 'udp4', recvBufferSize: 4 << 20 });
      socket.on('message', (answer) => exchanges.get(answer.readUInt16BE(2))?.(answer[1] as number));
      socket.connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    }),
  );
  const nextIds = sockets.map(() => Math.floor(Math.random() * 0x10000));
  let sent = 0;
  const tokenOf = typeof token === 'string' ? () => token : token;

  function send(device: number, round: number): Promise<{ ms: number; code: number } | null> {
    const index = sent++ % count;
    const exchanges = waiting[index] as Map<number, (code: number) => void>;
    const messageId = (nextIds[index] as number) % 0x10000;
    nextIds[index] = messageId + 1;
    const datagram = generate({
      confirmable: true,
      code: 'POST',
      messageId,
      token: Buffer.from([index]),
      options: [{ name: 'Uri-Path', value: Buffer.from('m') }],
      payload: encodeFrame(toSerial(device), tokenOf(device), round, samples),
    });
    const sentAt = performance.now();
    return new Promise((resolve) => {
      const end = (result: { ms: number; code: number } | null) => {
        clearTimeout(timer);
        exchanges.delete(messageId);
        resolve(result);
      };
      const timer = setTimeout(() => end(null), ACK_TIMEOUT_MS);
      exchanges.set(messageId, (code) => end({ ms: performance.now() - sentAt, code }));
      (sockets[index] as Socket).send(datagram);
    });
  }

  function createTally() {
    const latenciesMs: number[] = [];
    let lost = 0;
    let refused = 0;
    const startedAt = performance.now();
    return {
      async record(sending: ReturnType<typeof send>) {
        const answer = await sending;
        if (!answer) lost++;
        else if (answer.code !== CREATED) refused++;
        else latenciesMs.push(answer.ms);
      },
      result: (): Acknowledged => ({
        latenciesMs: latenciesMs.sort((a, b) => a - b),
        lost,
        refused,
        seconds: (performance.now() - startedAt) / 1000,
      }),
    };
  }

  return {
    /** Keeps a constant number of frames under way. */
    async closedLoop(frames: number, { devices, underWay, round }: ClosedLoop): Promise<Acknowledged> {
      const { record, result } = createTally();
      let next = 0;
      await Promise.all(
        Array.from({ length: underWay }, async () => {
          while (next < frames) {
            const index = next++;
            await record(send((index % devices) + 1, round + Math.floor(index / devices)));
          }
        }),
      );
      return result();
    },

    /** Sends a constant number of frames per second, acknowledged or not. */
    async openLoop(
      perSecond: number,
      { devices, seconds, round, order = inTurn(devices) }: OpenLoop,
    ): Promise<Acknowledged> {
      const { record, result } = createTally();
      const startedAt = performance.now();
      const sending: Array<Promise<void>> = [];
      for (let index = 0; index < perSecond * seconds; index++) {
        const dueInMs = startedAt + (index * 1000) / perSecond - performance.now();
        if (dueInMs > 1) await new Promise((resolve) => setTimeout(resolve, dueInMs));
        sending.push(record(send(order(index), round + Math.floor(index / devices))));
      }
      await Promise.all(sending);
      return result();
    },

    close(): void {
      for (const socket of sockets) socket.close();
    },
  };
}

const inTurn = (devices: number) => (index: number) => (index % devices) + 1;

interface ClosedLoop {
  devices: number;
  underWay: number;
  /** A round that no other loop uses, so that each frame is new. */
  round: number;
}

interface OpenLoop {
  devices: number;
  seconds: number;
  round: number;
  /** The device of each frame; all in turn by default. */
  order?: (index: number) => number;
}
