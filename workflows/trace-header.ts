/** Passes the trace that started a run to its steps, and to the run that continues it. */
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { TRACE_HEADER } from '../src/temporal/workflow-ids.ts';

type Execute = NonNullable<
  NonNullable<ReturnType<WorkflowInterceptorsFactory>['inbound']>[number]['execute']
>;
type Payload = Parameters<Execute>[0]['headers'][string];

export const interceptors: WorkflowInterceptorsFactory = () => {
  let trace: Payload | undefined;
  const withTrace = <Input extends { headers: Record<string, Payload> }>(input: Input): Input =>
    trace === undefined ? input : { ...input, headers: { ...input.headers, [TRACE_HEADER]: trace } };
  return {
    inbound: [
      {
        execute(input, next) {
          trace = input.headers[TRACE_HEADER];
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withTrace(input)),
        continueAsNew: (input, next) => next(withTrace(input)),
      },
    ],
  };
};
