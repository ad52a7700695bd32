/**
 * Which partitions a statement chooses while it runs, by values of other rows. PostgreSQL shows this in the
 * serialized plan alone, which it sends as a message when it plans. Source: PostgreSQL 18,
 * nodes/plannodes.h and executor/execPartition.c.
 */
import pg from 'pg';

const SHOW_PLANS = {
  debug_print_plan: 'on',
  debug_pretty_print: 'off',
  client_min_messages: 'log',
};

export interface PlanReader {
  /** Whether rows that the statement checks again, and partitions that it chooses then, meet. `$1`: bindings. */
  prunesWhatItChecksAgain(text: string): Promise<boolean>;
  close(): Promise<void>;
}

export async function openPlanReader(url: string, session: Record<string, string>): Promise<PlanReader> {
  const options = Object.entries({ ...session, ...SHOW_PLANS }).map(([name, value]) => `-c ${name}=${value}`);
  const client = new pg.Client({ connectionString: url, options: options.join(' ') });
  await client.connect();
  let plans: string[] = [];
  client.on('notice', ({ detail = '' }) => plans.push(detail));
  return {
    async prunesWhatItChecksAgain(text) {
      plans = [];
      await client.query(`explain (generic_plan) ${text}`);
      return plans.some(readPlan);
    },
    close: () => client.end(),
  };
}

/** The beginning or end of a node, and the fields that count. Lines are wrapped; a brace in text follows a backslash. */
const TOKENS =
  /\\.|\{(?<node>\w+)|(?<end>\})|:part_prune_index\s(?<index>\d+)|:exec_pruning_steps\s(?<steps>\()|(?<subplans>:subplans)/g;
/** These check a row again that was changed meanwhile; all subplans of the statement begin anew then. */
const CHECKING = ['LOCKROWS', 'MODIFYTABLE'];

function readPlan(plan: string): boolean {
  const path: string[] = [];
  const begunAnew: number[] = [];
  const chosenAtRunTime = new Set<number>();
  let infos = 0;
  let isSubplan = false;
  let isChecking = false;
  for (const { groups = {} } of plan.matchAll(TOKENS)) {
    const { node, end, index, steps, subplans } = groups;
    if (node) path.push(node);
    if (end) path.pop();
    if (subplans) isSubplan = true;
    if (node === 'PARTITIONPRUNEINFO') infos++;
    if (steps) chosenAtRunTime.add(infos - 1);
    if (node && CHECKING.includes(node)) isChecking = true;
    if (index && (isSubplan || path.some((each) => CHECKING.includes(each)))) begunAnew.push(Number(index));
  }
  return isChecking && begunAnew.some((each) => chosenAtRunTime.has(each));
}
