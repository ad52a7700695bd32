/**
 * Creates what the service needs of a Temporal server: its namespace and its search attributes. Safe to run again. A
 * server that has just started answers late, and what it creates takes seconds until workflows can use it, so every
 * step is repeated until its result is there.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { SEARCH_ATTRIBUTES } from './workflow-ids.ts';

export interface NamespaceOptions {
  address: string;
  namespace: string;
  /** How long Temporal keeps the histories of ended runs. */
  retentionMs: number;
  print(line: string): void;
}

const ATTEMPTS_MAX = 240;
const PAUSE_MS = 500;
/** By the numbers of temporal.api.enums.v1.IndexedValueType. */
const INDEXED_VALUE_TYPES = { Keyword: 2 };

export async function setUpNamespace({ address, namespace, retentionMs, print }: NamespaceOptions) {
  const connection = Connection.lazy({ address });
  try {
    await repeat(() => createNamespace(connection, namespace, retentionMs));
    print(`Namespace ${namespace}: ready`);
    for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES)) {
      await repeat(() => createSearchAttribute(connection, namespace, { name, type }));
      print(`Search attribute ${name}: ready`);
    }
  } finally {
    await connection.close();
  }
}

/** Throws the last failure. */
async function repeat(step: () => Promise<void>): Promise<void> {
  for (let attempt = 1; attempt < ATTEMPTS_MAX; attempt++) {
    try {
      return await step();
    } catch {
      await delay(PAUSE_MS);
    }
  }
  await step();
}

async function createNamespace(
  { workflowService }: Connection,
  namespace: string,
  retentionMs: number,
): Promise<void> {
  const isThere = await workflowService.describeNamespace({ namespace }).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs(retentionMs),
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
  // The list has a new attribute seconds before workflows can use it.
  await workflowService.countWorkflowExecutions({ namespace, query: `${name} = 'none'` });
}
