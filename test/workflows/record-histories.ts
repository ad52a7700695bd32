/**
 * `npm run histories`: plays every scenario with the current workflow code against a Temporal dev server, and
 * stores the histories for the replay tests. Recording again gives the same files unless the workflows or the
 * scenarios changed. `-- --missing` keeps existing histories, which may be of earlier code, and records the
 * others.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createLog } from '../../src/process/log.ts';
import { installRuntime } from '../../src/temporal/runtime.ts';
import { bundleWorkflows } from '../../src/temporal/workflow-bundle.ts';
import { startLimitedTemporal } from '../support/limited-temporal.ts';
import { temporalCli } from '../support/servers.ts';
import { HISTORIES, historyFile } from './history-files.ts';
import { startScenarioPlayer } from './scenario-player.ts';
import { scenarios } from './scenarios.ts';
import { scrubHistory } from './scrub-history.ts';

/** Events after which a run continues as new: more than any other scenario has. */
const LIMITS = { 'limit.historyCount.suggestContinueAsNew': 80 };
const keepsExisting = process.argv.includes('--missing');

await installRuntime(createLog('silent'));
const [workflowBundle, temporal] = await Promise.all([
  bundleWorkflows(),
  temporalCli().then((cli) => startLimitedTemporal(cli, LIMITS)),
]);
const player = await startScenarioPlayer(temporal.address, workflowBundle);
try {
  if (!keepsExisting) rmSync(HISTORIES, { recursive: true, force: true });
  for (const scenario of scenarios.filter((each) => !existsSync(historyFile(each)))) {
    const history = scrubHistory(await player.play(scenario));
    const file = historyFile(scenario);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, history);
    process.stdout.write(`${scenario.workflow}/${scenario.name}\n`);
  }
} finally {
  await player.stop();
  await temporal.stop();
}
