/** `npm run sim -- …`: simulated loggers against a running service. */
import { runMain } from '../../src/process/run-main.ts';
import { findRunning } from '../local/local-instance.ts';
import { runSimulation } from '../simulator/run-simulation.ts';
import { OptionFault, SIM_USAGE, simOptions } from '../simulator/sim-options.ts';

await runMain(async () => {
  const typed = process.argv.slice(2);
  const write = (text: string) => void process.stdout.write(text);
  if (typed.includes('--help') || typed.includes('-h')) return write(SIM_USAGE);
  try {
    const options = simOptions(typed, (await findRunning()) ?? {});
    await runSimulation(options, { write, isTerminal: process.stdout.isTTY === true });
  } catch (error) {
    if (!(error instanceof OptionFault)) throw error;
    process.stderr.write(`${error.message}\n\n${SIM_USAGE}`);
    process.exitCode = 2;
  }
});
