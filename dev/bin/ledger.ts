/** `npm run ledger -- …`: several of each process, killed at random, without any loss. */
import { runMain } from '../../src/process/run-main.ts';
import { runAndStop } from '../embedded/run-and-stop.ts';
import { LEDGER_USAGE, LedgerUsageFault, ledgerOptions } from '../ledger/ledger-options.ts';
import { missingRequirement } from '../ledger/requirements.ts';
import { runLedger } from '../ledger/run-ledger.ts';
import { readStartSettings } from '../local/start-settings.ts';

await runMain(async () => {
  const typed = process.argv.slice(2);
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  if (typed.includes('--help') || typed.includes('-h')) return print(LEDGER_USAGE);
  try {
    const { env, cacheDir } = readStartSettings();
    const options = ledgerOptions(typed, Date.now());
    const missing = await missingRequirement(options, { env, cacheDir, print });
    if (missing !== null && options.isOptional) return print(`The ledger is skipped: ${missing}`);
    if (missing !== null) throw new Error(missing);
    await runAndStop(async (onStop) => {
      const isGood = await runLedger(options, { env, cacheDir, print, onStop });
      process.exitCode = isGood ? 0 : 1;
    });
  } catch (error) {
    if (!(error instanceof LedgerUsageFault)) throw error;
    process.stderr.write(`${error.message}\n\n${LEDGER_USAGE}`);
    process.exitCode = 2;
  }
  process.exit();
});
