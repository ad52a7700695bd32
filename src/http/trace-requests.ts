/** The span of a request, in the trace of its sender if there is one. Probes and documents have none. */
import type { Middleware } from 'koa';
import type { Tracing } from '../process/tracing.ts';

interface TracedRequests {
  tracing: Tracing;
  isLeftOut(path: string): boolean;
}

export const traceRequests =
  ({ tracing, isLeftOut }: TracedRequests): Middleware =>
  (ctx, next) => {
    if (isLeftOut(ctx.path)) return next();
    const { method } = ctx;
    const parent = ctx.get('traceparent') || null;
    const attributes = { 'http.request.method': method };
    return tracing.span({ name: method, kind: 'server', parent, attributes }, async (span) => {
      await next();
      const { operationId = 'none' } = ctx.state as { operationId?: string };
      span.rename(operationId);
      span.set({
        'http.response.status_code': ctx.status,
        'dms.request_id': String(ctx.response.get('Request-Id')),
      });
      if (ctx.status >= 500) span.fail(String(ctx.status));
    });
  };
