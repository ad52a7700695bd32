/**
 * Continues the trace of a request in the run that it starts, and in the steps of this run: by a header,
 * which workflows/trace-header.ts passes from the run to its steps.
 */

import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Tracing } from '../process/tracing.ts';
import { TRACE_HEADER } from './workflow-ids.ts';

/** Starts only: a run gets signals of many requests. */
export const traceStarts = (tracing: Tracing): WorkflowClientInterceptor => ({
  startWithDetails: (input, next) =>
    tracing.span({ name: `start ${input.workflowType}`, kind: 'client' }, () => {
      const trace = tracing.current();
      return next(trace === null ? input : { ...input, headers: withTrace(input.headers, trace) });
    }),
});

const withTrace = (headers: Headers, trace: string): Headers => ({
  ...headers,
  [TRACE_HEADER]: defaultPayloadConverter.toPayload(trace),
});

/** A step of a run without a trace has no span. */
export const traceSteps =
  (tracing: Tracing): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      execute(input, next) {
        const payload = input.headers[TRACE_HEADER];
        if (!payload) return next(input);
        const parent = defaultPayloadConverter.fromPayload<string>(payload);
        const { activityType: name, workflowExecution, attempt } = info;
        const attributes = { 'dms.workflow_id': workflowExecution?.workflowId ?? '', 'dms.attempt': attempt };
        return tracing.span({ name, kind: 'server', parent, attributes }, () => next(input));
      },
    },
  });
