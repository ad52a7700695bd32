/** A collector of traces: accepts spans over OTLP/HTTP in protobuf, and keeps them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { useStarted } from './use-started.ts';

export interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  /** Empty for the first span of its trace. */
  parentSpanId: string;
  attributes: Record<string, string>;
  linkedTraceIds: string[];
  hasFailed: boolean;
}

export interface Collector {
  url: string;
  spans: CollectedSpan[];
  /** All received bytes, for searches. */
  bytes: Buffer[];
  stop(): Promise<void>;
}

export const useCollector = (): Collector => useStarted(startCollector, (collector) => collector.stop());

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bytes: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      if (request.url !== '/v1/traces') return void response.writeHead(404).end();
      bytes.push(body);
      spans.push(...readSpans(body));
      response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bytes,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The numbers of fields are those of opentelemetry/proto/trace/v1/trace.proto. */
function readSpans(request: Uint8Array): CollectedSpan[] {
  return partsOf(request, 1).flatMap((resource) =>
    partsOf(resource, 2).flatMap((scope) => partsOf(scope, 2).map(readSpan)),
  );
}

function readSpan(span: Uint8Array): CollectedSpan {
  const hex = (field: number) => Buffer.from(partsOf(span, field)[0] ?? []).toString('hex');
  const status = partsOf(span, 15)[0];
  return {
    name: textOf(span, 5),
    traceId: hex(1),
    spanId: hex(2),
    parentSpanId: hex(4),
    attributes: Object.fromEntries(
      partsOf(span, 9).map((each) => [textOf(each, 1), textOf(partsOf(each, 2)[0] ?? NOTHING, 1)]),
    ),
    linkedTraceIds: partsOf(span, 13).map((link) => Buffer.from(partsOf(link, 1)[0] ?? []).toString('hex')),
    hasFailed: status !== undefined && status.length > 0 && numbersOf(status, 3).includes(2),
  };
}

const NOTHING = new Uint8Array();

const textOf = (message: Uint8Array, field: number) =>
  Buffer.from(partsOf(message, field)[0] ?? []).toString();

/** Values of a length-delimited field: bytes, texts and messages. */
function partsOf(message: Uint8Array, field: number): Uint8Array[] {
  const reader = new BinaryReader(message);
  const parts: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === field && type === WireType.LengthDelimited) parts.push(reader.bytes());
    else reader.skip(type, number);
  }
  return parts;
}

function numbersOf(message: Uint8Array, field: number): number[] {
  const reader = new BinaryReader(message);
  const numbers: number[] = [];
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === field && type === WireType.Varint) numbers.push(reader.uint32());
    else reader.skip(type, number);
  }
  return numbers;
}
