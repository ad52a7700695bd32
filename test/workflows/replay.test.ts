/**
 * Runs that are under way survive a deployment: the current workflow code replays recorded histories. An
 * incompatible change needs `patched()`, or, when no run of the earlier code can still exist, another
 * recording.
 */
import assert from 'node:assert/strict';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { servers } from '../support/servers.ts';
import { listHistories, readHistory } from './history-files.ts';
import { scenarios } from './scenarios.ts';

const { History } = proto.temporal.api.history.v1;
const ALTERED = 'altered';
const OTHER_ACTIVITY = '"activityType":{"name":"anotherActivity"}';
const HELP =
  'Guard the change with patched(). Only when no run of the earlier code can still exist, record anew: npm run histories';

const WORKFLOWS = ['apply-profile', 'deliver-webhooks', 'escalate-alert', 'withdraw-profile'] as const;
const alteredName = (workflow: string) => `${workflow}/${ALTERED}`;

/** Every recorded history by its name, and for each workflow one in which another activity ran. */
function allHistories(): Map<string, string> {
  const recorded = WORKFLOWS.flatMap((workflow) =>
    listHistories(workflow).map((file) => [`${workflow}/${file}`, readHistory(workflow, file)] as const),
  );
  const altered = WORKFLOWS.flatMap((workflow) => {
    const [first] = listHistories(workflow);
    if (first === undefined) return [];
    const text = readHistory(workflow, first).replace(/"activityType":{"name":"\w+"}/, OTHER_ACTIVITY);
    return [[alteredName(workflow), text] as const];
  });
  return new Map([...recorded, ...altered]);
}

/** Replays all of them with one worker. Returns the fault of each, or null. */
async function replayAll(histories: Map<string, string>): Promise<Map<string, Error | null>> {
  const { workflowBundle } = await servers();
  const inputs = [...histories].map(([workflowId, text]) => ({
    workflowId,
    history: History.fromObject(JSON.parse(text)),
  }));
  const faults = new Map<string, Error | null>();
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, inputs))
    faults.set(workflowId, error ?? null);
  return faults;
}

describe('Recorded histories', () => {
  let faults: Map<string, Error | null>;

  before(async () => {
    faults = await replayAll(allHistories());
  });

  for (const workflow of WORKFLOWS) {
    it(`finds a recorded history for each scenario of ${workflow}`, () => {
      const names = scenarios.filter((scenario) => scenario.workflow === workflow).map(({ name }) => name);
      assert.deepEqual(
        listHistories(workflow),
        names.map((name) => `${name}.json`).sort(),
        'Remove the histories without a scenario, and record those that are missing: npm run histories -- --missing',
      );
    });

    for (const file of listHistories(workflow)) {
      it(`replays ${workflow} when the run ${file.replace('.json', '').replaceAll('-', ' ')}`, () => {
        const fault = faults.get(`${workflow}/${file}`);
        assert.equal(fault, null, `The workflow code does not replay ${workflow}/${file}: ${fault}. ${HELP}`);
      });
    }

    it(`refuses histories of ${workflow} in which another activity ran`, () => {
      assert.ok(faults.get(alteredName(workflow)) instanceof DeterminismViolationError);
    });

    it(`finds no host, process or path in histories of ${workflow}`, () => {
      for (const file of listHistories(workflow)) {
        const text = readHistory(workflow, file);
        assert.deepEqual([...new Set(text.match(/"identity":"[^"]*"/g))], ['"identity":"recorder"']);
        assert.doesNotMatch(text, /\d+@|"[^"]*\/(home|root|tmp|usr)\//);
      }
    });
  }
});
