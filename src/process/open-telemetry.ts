/** Traces by OpenTelemetry, sent over OTLP. Its packages are loaded only when traces are on. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { Context, Link, Span as OpenSpan, SpanContext } from '@opentelemetry/api';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { BatchTraces, Span, SpanKind, SpanOptions, TraceSettings, Tracing } from './tracing.ts';
import { VERSION } from './version.ts';

type Api = typeof import('@opentelemetry/api');

interface Scope {
  context: Context;
  /** Inside a batch, the traces by the keys of its items. */
  items?: Map<string, string | null> | undefined;
}

const SERVICE = 'device-monitoring-service';
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const SAMPLED = 1;
/** Bounds the links of a batch, which may have hundreds of items. */
const LINKS_MAX = 50;
const EXPORT_TIMEOUT_MS = 5_000;
const CLOSE_MS_MAX = 1_000;

/** `onFault` is called for each batch of spans that the collector did not accept. */
export function openTracing(settings: TraceSettings, onFault: (error: unknown) => void): Tracing {
  const api = createRequire(import.meta.url)('@opentelemetry/api') as Api;
  const provider = createProvider(settings, onFault);
  const tracer = provider.getTracer(SERVICE, VERSION);
  const scopes = new AsyncLocalStorage<Scope>();

  const toContext = (traceparent: string | null | undefined): Context | null => {
    const spanContext = parseTraceparent(traceparent);
    return spanContext && api.trace.setSpanContext(api.ROOT_CONTEXT, spanContext);
  };

  function start(
    { name, kind: named, attributes = {} }: SpanOptions,
    parent: Context,
    links: Link[] = [],
  ): OpenSpan {
    const kind = api.SpanKind[named.toUpperCase() as Uppercase<SpanKind>];
    return tracer.startSpan(name, { kind, attributes, links }, parent);
  }

  async function runIn<T>(open: OpenSpan, items: Scope['items'], work: () => Promise<T>): Promise<T> {
    const context = api.trace.setSpan(api.ROOT_CONTEXT, open);
    try {
      return await scopes.run({ context, items }, work);
    } catch (error) {
      wrap(api, open).fail(error instanceof Error ? error.name : 'unknown');
      throw error;
    } finally {
      open.end();
    }
  }

  function current(): string | null {
    const scope = scopes.getStore();
    return scope ? toTraceparent(api.trace.getSpanContext(scope.context)) : null;
  }

  return {
    span(options, work) {
      const scope = scopes.getStore();
      const parent = toContext(options.parent) ?? scope?.context;
      if (!parent && options.kind !== 'server') return work(NO_OP);
      const open = start(options, parent ?? api.ROOT_CONTEXT);
      return runIn(open, scope?.items, () => work(wrap(api, open)));
    },
    current,
    batches: (name, keyOf) => createBatches(name, keyOf),
    ofItem(key) {
      const items = scopes.getStore()?.items;
      return items ? (items.get(key) ?? null) : current();
    },
    // An unreachable collector must not delay the end of the process.
    close: () =>
      Promise.race([provider.shutdown().catch(() => {}), delay(CLOSE_MS_MAX, undefined, { ref: false })]),
  };

  function createBatches<Item extends object>(
    name: string,
    keyOf: (item: Item) => string,
  ): BatchTraces<Item> {
    const traceOf = new WeakMap<Item, string | null>();
    return {
      add: (item) => void traceOf.set(item, current()),
      run(items, work) {
        const traces = new Map(items.map((item) => [keyOf(item), traceOf.get(item) ?? null]));
        const contexts = [...traces.values()].flatMap((trace) => toContext(trace) ?? []);
        const [first, ...others] = contexts;
        // Work in a batch must not join the trace of the request that happened to start the loop.
        if (!first) return scopes.run({ context: api.ROOT_CONTEXT, items: traces }, work);
        const links = others.slice(0, LINKS_MAX).flatMap((each) => {
          const context = api.trace.getSpanContext(each);
          return context ? [{ context }] : [];
        });
        const attributes = { 'dms.items': items.length };
        return runIn(start({ name, kind: 'internal', attributes }, first, links), traces, work);
      },
    };
  }
}

function createProvider(
  { endpoint, sampledShare, delayMs }: TraceSettings,
  onFault: (error: unknown) => void,
) {
  const require = createRequire(import.meta.url);
  const sdk = require('@opentelemetry/sdk-trace') as typeof import('@opentelemetry/sdk-trace');
  const resources = require('@opentelemetry/resources') as typeof import('@opentelemetry/resources');
  const exporters =
    require('@opentelemetry/exporter-trace-otlp-proto') as typeof import('@opentelemetry/exporter-trace-otlp-proto');
  const sampler = new sdk.TraceIdRatioBasedSampler(sampledShare);
  const exporter = new exporters.OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  return new sdk.TracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': SERVICE, 'service.version': VERSION })
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    // Traces begun by clients are sampled by the same share, so that clients do not control the cost.
    sampler: new sdk.ParentBasedSampler({ root: sampler, remoteParentSampled: sampler }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: reporting(exporter, onFault),
        scheduledDelayMillis: delayMs,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
}

const reporting = (exporter: SpanExporter, onFault: (error: unknown) => void): SpanExporter => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      if (result.error) onFault(result.error);
      done(result);
    }),
  shutdown: () => exporter.shutdown(),
});

const wrap = ({ SpanStatusCode }: Api, open: OpenSpan): Span => ({
  rename: (name) => void open.updateName(name),
  set: (attributes) => void open.setAttributes(attributes),
  fail(errorType) {
    open.setAttribute('error.type', errorType);
    open.setStatus({ code: SpanStatusCode.ERROR });
  },
});

const NO_OP: Span = { rename() {}, set() {}, fail() {} };

function parseTraceparent(text: string | null | undefined): SpanContext | null {
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(text ?? '') ?? [];
  if (!traceId || !spanId || traceId === NO_TRACE || spanId === NO_SPAN) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true };
}

function toTraceparent(context: SpanContext | undefined): string | null {
  if (!context || (context.traceFlags & SAMPLED) === 0) return null;
  return `00-${context.traceId}-${context.spanId}-01`;
}
