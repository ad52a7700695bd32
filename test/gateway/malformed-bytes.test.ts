/**
 * Fuzzing of the decoders with random bytes, and with messages in which bytes are changed, cut, inserted or
 * spliced. A decoder reads them or throws MalformedMessage, and its result contains no invalid date and no
 * NaN. FUZZ_RUNS sets the number of payloads for each decoder, FUZZ_SEED repeats a run.
 */
import assert from 'node:assert/strict';
import {
  decodeConfigAnswer,
  encodeConfigReport,
  encodeDeviceInfo,
  encodeMeasurements,
} from '../../dev/simulator/logger-messages.ts';
import { parseDatagram } from '../../src/gateway/coap-message.ts';
import { decodeConfigReport, encodeConfigAnswer } from '../../src/gateway/config-message.ts';
import { createConfigParts } from '../../src/gateway/config-parts.ts';
import { decodeDeviceInfo, emptyModem } from '../../src/gateway/device-info-message.ts';
import { decodeMeasurements, decodeReadings } from '../../src/gateway/measurements-message.ts';
import { MalformedMessage } from '../../src/gateway/wire-format.ts';
import vectors from './efento-vectors.json' with { type: 'json' };

const runs = Number(process.env.FUZZ_RUNS ?? 20_000);
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_007);

/** Mulberry32: a seeded generator. */
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
  serialNumber: '282C02424EED',
  cloudToken: 'dev_',
  softwareVersion: '06.10',
  batteryMillivolts: 3_600,
  modem: { ...emptyModem(), rssiDbm: -87 },
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
/** Bytes that matter to decoders: ends of varints, tags, lengths. */
const EDGE_BYTES = [0, 1, 2, 3, 8, 10, 0x12, 0x1a, 0x22, 0x7f, 0x80, 0xff];

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
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([oneOf(EDGE_BYTES)]), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(4))]);
    case 4:
      if (at < bytes.length) bytes[at] = (bytes[at] as number) ^ (1 << below(8));
      return bytes;
    default:
      if (at < bytes.length) bytes[at] = below(2) ? oneOf(EDGE_BYTES) : below(256);
      return bytes;
  }
}

/** No NaN, no infinity and no invalid date, at any depth. */
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

describe('Malformed bytes', function () {
  this.timeout(180_000 + runs);

  const parts = createConfigParts({ incompleteMax: 100 });
  const decoders: Record<string, (bytes: Buffer) => unknown> = {
    measurements(bytes) {
      const message = decodeMeasurements(bytes);
      encodeMeasurements(message);
      return [message, decodeReadings(message)];
    },
    // A decoded message can be encoded again, with rules of any kind.
    'configuration reports': (bytes) => decodeConfigReport(encodeConfigReport(decodeConfigReport(bytes))),
    'configuration answers': (bytes) => decodeConfigAnswer(encodeConfigAnswer(decodeConfigAnswer(bytes))),
    'reports in parts': (payload) =>
      parts.add({
        organizationId: 'organization-1',
        report: decodeConfigReport(payload),
        payload,
        receivedAt: new Date(1_767_225_600_000),
      }),
    'device info': (bytes) => decodeDeviceInfo(bytes),
  };
  for (const [name, decode] of Object.entries(decoders)) {
    it(`decodes or refuses in the decoder of ${name}, without any other error`, () => {
      const own = samples.filter((bytes) => attempt(bytes, decode) === 'read');
      const { read, refused } = fuzz(own, decode);
      assert.ok(read > 0 && refused > 0, `${read} read, ${refused} refused`);
      if (process.env.FUZZ_RUNS) console.log(`        ${name}: ${read} read, ${refused} refused`);
    });
  }

  it('parses as CoAP datagrams without an error', () => {
    const kinds = new Set<string>();
    for (let run = 0; run < runs; run++) {
      const bytes = badBytes(datagrams);
      const incoming = parseDatagram(bytes, { bytesMax: 200, tokenOption: 65_000 });
      kinds.add(incoming.kind);
      if (incoming.kind === 'request') assert.ok(incoming.request.token.length <= 8);
    }
    assert.deepEqual([...kinds].sort(), ['ignored', 'request', 'reset', 'tooLarge']);
  });
});
