/**
 * Traces: what becomes of a request or of a message of a device, over processes and over what waits in between. Where
 * they are off, `Tracing` is null everywhere: nothing of it is loaded, called or stored.
 */
export type SpanKind = 'server' | 'client' | 'internal';

export type SpanAttributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  name: string;
  kind: SpanKind;
  /** A traceparent of W3C Trace Context, as it was received or stored. Default: the current span. */
  parent?: string | null | undefined;
  attributes?: SpanAttributes;
}

/** Attributes hold no bodies, keys, queries or messages of errors: those may contain secrets. */
export interface Span {
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  fail(errorType: string): void;
}

export interface Tracing {
  /** Runs the work in a new span. Of the kind `server` it may be the first of its trace, others only go on with one. */
  span<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** Of the current span, if it is sampled. */
  current(): string | null;
  /** For what is done for many items together; the key is that of the item. */
  batches<Item extends object>(name: string, keyOf: (item: Item) => string): BatchTraces<Item>;
  /** In a batch: the trace of the item with that key. Outside of one: that of the current span. */
  ofItem(key: string): string | null;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Keeps the trace of each item while it waits for its batch. */
export interface BatchTraces<Item> {
  add(item: Item): void;
  run<T>(items: Item[], work: () => Promise<T>): Promise<T>;
}

export interface TraceSettings {
  /** Of an OTLP receiver, without the path. */
  endpoint: string;
  /** Of all traces, 0 to 1. */
  sampledShare: number;
  /** How long spans are gathered before they are sent. */
  delayMs: number;
}
