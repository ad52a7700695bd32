/**
 * Traces follow a request or a message of a device over processes and over waits in between. While traces are
 * off, `Tracing` is null everywhere, and nothing is loaded, called or stored for them.
 */
export type SpanKind = 'server' | 'client' | 'internal';

type SpanAttributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  name: string;
  kind: SpanKind;
  /** A traceparent of W3C Trace Context, as received or stored. Default: the current span. */
  parent?: string | null | undefined;
  attributes?: SpanAttributes;
}

/** Attributes must not hold bodies, keys, queries or messages of errors, which may contain secrets. */
export interface Span {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  fail(errorType: string): void;
}

export interface Tracing {
  /** Runs the work in a new span. Only a span of the kind `server` may begin a trace; others continue one. */
  span<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** Traceparent of the current span, if it is sampled. */
  current(): string | null;
  /** Traces work on many items together; the key identifies an item. */
  batches<Item extends object>(name: string, keyOf: (item: Item) => string): BatchTraces<Item>;
  /** Inside a batch, the trace of the item with that key; elsewhere, the trace of the current span. */
  ofItem(key: string): string | null;
  /** Sends remaining spans. */
  close(): Promise<void>;
}

/** Keeps the trace of each item while it waits for its batch. */
export interface BatchTraces<Item> {
  add(item: Item): void;
  run<T>(items: Item[], work: () => Promise<T>): Promise<T>;
}

export interface TraceSettings {
  /** URL of an OTLP receiver, without the path. */
  endpoint: string;
  /** Share of all traces, 0 to 1. */
  sampledShare: number;
  /** How long spans are gathered before they are sent. Default: five seconds, that of OpenTelemetry. */
  delayMs?: number;
}
