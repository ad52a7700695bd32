/**
 * Runs that are under way survive a deployment: the current workflow code replays recorded histories. A change that
 * does not replay them needs `patched()`, or, when no run of the earlier code can still exist, another recording.
 */
import assert from 'node:assert/strict';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { servers } from '../support/servers.ts';
import { listHistories, readHistory } from './history-files.ts';
import { scenarios } from './scenarios.ts';

const { History } = proto.temporal.api.history.v1;
const OTHER_ACTIVITY = '"activityType":{"name":"anotherActivity"}';
const HELP =
  'Guard the change with patched(). Only when no run of the earlier code can still exist, record anew: npm run histories';

async function replay(text: string): Promise<void> {
  const { workflowBundle } = await servers();
  await Worker.runReplayHistory({ workflowBundle }, History.fromObject(JSON.parse(text)));
}

for (const workflow of ['apply-profile', 'deliver-webhooks'] as const) {
  describe(`The workflow ${workflow}`, function () {
    this.timeout(60_000);

    it('has exactly one recorded history per scenario', () => {
      const names = scenarios.filter((scenario) => scenario.workflow === workflow).map(({ name }) => name);
      assert.deepEqual(
        listHistories(workflow),
        names.map((name) => `${name}.json`).sort(),
        'Remove the histories without a scenario, and record those that are missing: npm run histories -- --missing',
      );
    });

    for (const file of listHistories(workflow)) {
      it(`replays the run that ${file.replace('.json', '').replaceAll('-', ' ')}`, async () => {
        await assert.doesNotReject(
          () => replay(readHistory(workflow, file)),
          `The workflow code does not replay ${workflow}/${file}. ${HELP}`,
        );
      });
    }

    it('does not replay a history in which another activity ran', async () => {
      const [first = ''] = listHistories(workflow);
      const changed = readHistory(workflow, first).replace(/"activityType":{"name":"\w+"}/, OTHER_ACTIVITY);
      await assert.rejects(replay(changed), DeterminismViolationError);
    });

    it('has histories without the host, process and paths of their recording', () => {
      for (const file of listHistories(workflow)) {
        const text = readHistory(workflow, file);
        assert.deepEqual([...new Set(text.match(/"identity":"[^"]*"/g))], ['"identity":"recorder"']);
        assert.doesNotMatch(text, /\d+@|"[^"]*\/(home|root|tmp|usr)\//);
      }
    });
  });
}
