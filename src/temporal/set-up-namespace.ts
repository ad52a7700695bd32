/**
 * Creates the namespace and the search attributes that the service needs on a Temporal server. Safe to
 * repeat. A server that has just started answers late, and its new attributes take seconds until workflows
 * can use them, so every step is repeated until its result is visible.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { DAY_MS } from '../process/durations.ts';
import { NO_PROXY, type TemporalConnection } from './connection.ts';
import { explainFault } from './connection-faults.ts';
import { SEARCH_ATTRIBUTES } from './workflow-ids.ts';

interface NamespaceOptions {
  connection: TemporalConnection;
  /** How long Temporal keeps the histories of ended runs; null: as it is, or three days for a new namespace. */
  retentionMs: number | null;
  print(line: string): void;
}

const WAIT_MAX_MS = 120_000;
/** Time limit of one step: the client itself would repeat calls to an unavailable server for much longer. */
const STEP_MAX_MS = 5_000;
const PAUSE_MS = 500;
const RETENTION_MS = 3 * DAY_MS;
/** Status code of gRPC. */
const NOT_FOUND = 5;
/** The numbers of temporal.api.enums.v1.IndexedValueType. */
const INDEXED_VALUE_TYPES = { Keyword: 2, Datetime: 6 };

export async function setUpNamespace({ retentionMs, print, ...to }: NamespaceOptions) {
  const { options, namespace } = to.connection;
  const connection = Connection.lazy({ ...options, channelArgs: NO_PROXY });
  const repeat = createRepeat(connection, (fault) =>
    print(`Waiting for Temporal at ${options.address}: ${fault}`),
  );
  try {
    await repeat(() => prepareNamespace(connection, namespace, retentionMs));
    print(`Namespace ${namespace}: ready`);
    for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES)) {
      await repeat(() => createSearchAttribute(connection, namespace, { name, type }));
      print(`Search attribute ${name}: ready`);
    }
  } finally {
    await connection.close();
  }
}

/**
 * Repeats steps until they succeed. Reports the awaited step once; throws the remaining failure when the time
 * is up.
 */
function createRepeat(connection: Connection, onWait: (fault: string) => void) {
  const until = Date.now() + WAIT_MAX_MS;
  let hasSaid = false;
  return async (step: () => Promise<void>): Promise<void> => {
    for (;;) {
      try {
        return await connection.withDeadline(Date.now() + STEP_MAX_MS, step);
      } catch (err) {
        if (Date.now() > until) throw err;
        if (!hasSaid && !isNotThereYet(err)) {
          onWait(explainFault(err));
          hasSaid = true;
        }
        await delay(PAUSE_MS);
      }
    }
  };
}

/** A new namespace is found only after some seconds. */
const isNotThereYet = (err: unknown) => isGrpcServiceError(err) && err.code === NOT_FOUND;

async function prepareNamespace(
  { workflowService }: Connection,
  namespace: string,
  retentionMs: number | null,
): Promise<void> {
  const isThere = await workflowService.describeNamespace({ namespace }).then(
    () => true,
    () => false,
  );
  const retention = msToTs(retentionMs ?? RETENTION_MS);
  if (!isThere)
    await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: retention });
  else if (retentionMs !== null)
    await workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: retention },
    });
}

async function createSearchAttribute(
  { operatorService, workflowService }: Connection,
  namespace: string,
  { name, type }: { name: string; type: keyof typeof INDEXED_VALUE_TYPES },
): Promise<void> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  if (!(name in customAttributes)) {
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: { [name]: INDEXED_VALUE_TYPES[type] },
    });
  }
  // The list shows a new attribute seconds before workflows can use it.
  await workflowService.countWorkflowExecutions({ namespace, query: `${name} IS NULL` });
}
