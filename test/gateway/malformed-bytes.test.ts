/**
 * Bytes that nobody means well with: random ones, and messages with some bytes changed, cut, doubled or put together.
 * A decoder reads them or throws MalformedMessage, and what it reads has no time that is none and no number that is
 * none. FUZZ_RUNS sets the number of payloads for each decoder, FUZZ_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import { readDatagram } from '../../src/gateway/coap-message.ts';
import {
  decodeConfigAnswer,
  decodeConfigReport,
  encodeConfigAnswer,
  encodeConfigReport,
} from '../../src/gateway/config-message.ts';
import { createConfigParts } from '../../src/gateway/config-parts.ts';
import { readingsOf } from '../../src/gateway/decode-readings.ts';
import {
  decodeDeviceInfo,
  emptyDeviceInfo,
  emptyModem,
  encodeDeviceInfo,
} from '../../src/gateway/device-info-message.ts';
import { MalformedMessage } from '../../src/gateway/malformed-message.ts';
import { decodeMeasurements, encodeMeasurements } from '../../src/gateway/measurements-message.ts';
import vectors from './efento-vectors.json' with { type: 'json' };

const runs = Number(process.env.FUZZ_RUNS ?? 20_000);
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_007);

/** Mulberry32: small, fast, and the same for the same seed. */
function randomOf(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 0x100000000;
  };
}

const random = randomOf(seed);
const below = (count: number) => Math.floor(random() * count);
const oneOf = <Item>(items: Item[]): Item => items[below(items.length)] as Item;

const deviceInfo = encodeDeviceInfo({
  ...emptyDeviceInfo(),
  serialNumber: '282C02424EED',
  softwareVersion: '06.10',
  runtimeErrors: [1, 2, 3],
  modem: { ...emptyModem(), type: 4, rssiDbm: -87, simCard: '8988' },
  lastUpdateStatus: 2,
});
const samples = [
  ...[...vectors.measurements, ...vectors.configurationReports, ...vectors.serverAnswers].map(({ hex }) =>
    Buffer.from(hex, 'hex'),
  ),
  Buffer.from(deviceInfo),
];
const datagrams = samples.map((payload) =>
  Buffer.concat([Buffer.from('44020102a1b2c3d4b16dff', 'hex'), payload.subarray(0, 100)]),
);
/** Bytes at which decoders turn: ends of varints, tags, lengths. */
const SHARP = [0, 1, 2, 3, 8, 10, 0x12, 0x1a, 0x22, 0x7f, 0x80, 0xff];

function badBytes(from: Buffer[]): Buffer {
  if (below(8) === 0) return Buffer.from(Array.from({ length: below(80) }, () => below(256)));
  let bytes: Buffer = Buffer.from(oneOf(from));
  for (let change = oneOf([1, 1, 1, 2, 4]); change > 0; change--) bytes = changed(bytes, from);
  return bytes;
}

function changed(bytes: Buffer, from: Buffer[]): Buffer {
  const at = below(bytes.length + 1);
  switch (below(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), oneOf(from).subarray(below(20))]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([oneOf(SHARP)]), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(4))]);
    case 4:
      if (at < bytes.length) bytes[at] = (bytes[at] as number) ^ (1 << below(8));
      return bytes;
    default:
      if (at < bytes.length) bytes[at] = below(2) ? oneOf(SHARP) : below(256);
      return bytes;
  }
}

/** No NaN, no infinity, no time that is none, anywhere. */
function assertSound(value: unknown): void {
  if (typeof value === 'number') assert.ok(Number.isFinite(value));
  else if (value instanceof Date) assert.ok(Number.isFinite(value.getTime()));
  else if (value instanceof Uint8Array) return;
  else if (typeof value === 'object' && value !== null)
    for (const key in value) assertSound(value[key as never]);
}

function attempt(bytes: Buffer, decode: (bytes: Buffer) => unknown): 'read' | 'refused' {
  try {
    assertSound(decode(bytes));
    return 'read';
  } catch (error) {
    if (error instanceof MalformedMessage) return 'refused';
    throw new Error(`Seed ${seed}, bytes ${bytes.toString('hex')}`, { cause: error });
  }
}

function fuzz(from: Buffer[], decode: (bytes: Buffer) => unknown): { read: number; refused: number } {
  const counts = { read: 0, refused: 0 };
  for (let run = 0; run < runs; run++) counts[attempt(badBytes(from), decode)]++;
  return counts;
}

describe('Bytes that are no message', function () {
  this.timeout(Math.max(30_000, runs));

  const parts = createConfigParts({ reportsMax: 100 });
  const decoders: Record<string, (bytes: Buffer) => unknown> = {
    measurements(bytes) {
      const message = decodeMeasurements(bytes);
      encodeMeasurements(message);
      return [message, readingsOf(message)];
    },
    // What was read can be shown again: rules of whatever kind go back onto the wire.
    'configuration reports': (bytes) => decodeConfigReport(encodeConfigReport(decodeConfigReport(bytes))),
    'configuration answers': (bytes) => decodeConfigAnswer(encodeConfigAnswer(decodeConfigAnswer(bytes))),
    'reports in parts': (bytes) => parts.add(bytes, new Date(1_767_225_600_000), 'organization-1'),
    'device info': (bytes) => decodeDeviceInfo(bytes),
  };
  for (const [name, decode] of Object.entries(decoders)) {
    it(`are read or refused by the decoder of ${name}, and nothing else`, () => {
      const own = samples.filter((bytes) => attempt(bytes, decode) === 'read');
      const { read, refused } = fuzz(own, decode);
      assert.ok(read > 0 && refused > 0, `${read} read, ${refused} refused`);
      if (process.env.FUZZ_RUNS) console.log(`        ${name}: ${read} read, ${refused} refused`);
    });
  }

  it('are told from CoAP requests without a throw', () => {
    const kinds = new Set<string>();
    for (let run = 0; run < runs; run++) {
      const bytes = badBytes(datagrams);
      const incoming = readDatagram(bytes, { bytesMax: 200, tokenOption: 65_000 });
      kinds.add(incoming.kind);
      if (incoming.kind === 'request') assert.ok(incoming.request.token.length <= 8);
    }
    assert.deepEqual([...kinds].sort(), ['ignored', 'request', 'reset', 'tooLarge']);
  });
});
