/** Many loggers that send confirmable frames over a handful of sockets, and time what they get back. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { generate } from 'coap-packet';
import { encodeMeasurements } from '../../src/gateway/measurements-message.ts';

export interface LoggersOptions {
  port: number;
  token: string;
  sockets?: number;
  /** Serial of the device with that number, from 1. */
  serialOf(device: number): string;
}

export interface Acknowledged {
  latenciesMs: number[];
  /** Frames that nobody acknowledged within ten seconds. */
  lost: number;
  seconds: number;
  /** Answers other than 2.01. */
  refused: number;
}

const SAMPLES = 10;
const PERIOD_SECONDS = 60;
const PATIENCE_MS = 10_000;

export const serialOf = (device: number) => `282C02${device.toString(16).padStart(6, '0').toUpperCase()}`;

/** Temperature and humidity, ten samples each, none of them sent before. */
function frameOf(serialNumber: string, token: string, round: number, startSeconds: number): Buffer {
  const timestamp = startSeconds + round * SAMPLES * PERIOD_SECONDS;
  const channel = (number: number, type: number, startPoint: number) => ({
    number,
    type,
    timestamp,
    startPoint,
    sampleOffsets: Array.from({ length: SAMPLES }, (_, index) => (index * 7 + round) % 13),
  });
  return Buffer.from(
    encodeMeasurements({
      serialNumber,
      batteryOk: true,
      measurementPeriodBase: PERIOD_SECONDS,
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

export async function createLoggers({ port, token, sockets: count = 16, serialOf: name }: LoggersOptions) {
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
  const startSeconds = Math.floor(Date.now() / 1000) - 86_400;
  let sent = 0;

  function send(device: number, round: number): Promise<{ ms: number; code: number } | null> {
    const lane = sent++ % count;
    const exchanges = waiting[lane] as Map<number, (code: number) => void>;
    const messageId = (nextIds[lane] as number) % 0x10000;
    nextIds[lane] = messageId + 1;
    const datagram = generate({
      confirmable: true,
      code: 'POST',
      messageId,
      token: Buffer.from([lane]),
      options: [{ name: 'Uri-Path', value: Buffer.from('m') }],
      payload: frameOf(name(device), token, round, startSeconds),
    });
    const sentAt = performance.now();
    return new Promise((resolve) => {
      const end = (result: { ms: number; code: number } | null) => {
        clearTimeout(timer);
        exchanges.delete(messageId);
        resolve(result);
      };
      const timer = setTimeout(() => end(null), PATIENCE_MS);
      exchanges.set(messageId, (code) => end({ ms: performance.now() - sentAt, code }));
      (sockets[lane] as Socket).send(datagram);
    });
  }

  const CREATED = 0x41;
  function gather() {
    const latenciesMs: number[] = [];
    let lost = 0;
    let refused = 0;
    const startedAt = performance.now();
    return {
      async note(sending: ReturnType<typeof send>) {
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
    /** So many frames under way at any time. */
    async closedLoop(frames: number, { devices, underWay, round }: ClosedLoop): Promise<Acknowledged> {
      const { note, result } = gather();
      let next = 0;
      await Promise.all(
        Array.from({ length: underWay }, async () => {
          while (next < frames) {
            const index = next++;
            await note(send((index % devices) + 1, round + Math.floor(index / devices)));
          }
        }),
      );
      return result();
    },

    /** So many frames a second, whatever becomes of them. */
    async openLoop(perSecond: number, { devices, seconds, round }: OpenLoop): Promise<Acknowledged> {
      const { note, result } = gather();
      const startedAt = performance.now();
      const sending: Array<Promise<void>> = [];
      for (let index = 0; index < perSecond * seconds; index++) {
        const dueInMs = startedAt + (index * 1000) / perSecond - performance.now();
        if (dueInMs > 1) await new Promise((resolve) => setTimeout(resolve, dueInMs));
        sending.push(note(send((index % devices) + 1, round + Math.floor(index / devices))));
      }
      await Promise.all(sending);
      return result();
    },

    close(): void {
      for (const socket of sockets) socket.close();
    },
  };
}

interface ClosedLoop {
  devices: number;
  underWay: number;
  /** Rounds that no other loop uses: each frame is new. */
  round: number;
}

interface OpenLoop {
  devices: number;
  seconds: number;
  round: number;
}
