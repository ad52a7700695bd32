/** `npm run sim`: optionally registers the fleet, runs it, shows its counts, and ends with a summary. */
import { stopOnSignal } from '../../src/process/shutdown.ts';
import { createFleet } from './fleet.ts';
import { createLiveTable, tableOf } from './live-table.ts';
import { registerAssets } from './register-assets.ts';
import type { SimOptions } from './sim-options.ts';

export interface Screen {
  write(text: string): void;
  isTerminal: boolean;
}

const REDRAW_MS = 500;
const LINE_MS = 5_000;
const STOP_MS = 5_000;

export async function runSimulation(options: SimOptions, { write, isTerminal }: Screen): Promise<void> {
  const fleet = createFleet(options.fleet);
  const table = createLiveTable(write, isTerminal);
  let redraw: NodeJS.Timeout | undefined;
  const end = stopOnSignal({
    deadlineMs: STOP_MS,
    print: () => undefined,
    async stop() {
      clearInterval(redraw);
      await fleet.stop();
      write(`\nAt the end:\n${tableOf(fleet.stats()).join('\n')}\n`);
    },
  });
  if (options.isRegistering) {
    const serials = [...fleet.serials, ...fleet.muteSerials];
    const { created, known } = await registerAssets(
      options,
      serials.map((serialNumber) => ({ serialNumber, name: `Simulated ${serialNumber}` })),
    );
    write(`Registered ${created} devices; ${known} were registered already.\n`);
  }
  write(`${describeRun(options)}\n\n`);
  await fleet.start();
  redraw = setInterval(() => table.show(fleet.stats()), isTerminal ? REDRAW_MS : LINE_MS);
  if (options.minutes !== null) setTimeout(() => end(), options.minutes * 60_000);
}

function describeRun({ fleet, minutes }: SimOptions): string {
  const { devices, transport, speed, climate, coapUrl, baseUrl } = fleet;
  const to = transport === 'coap' ? coapUrl : baseUrl;
  const until = minutes === null ? 'Ctrl-C ends' : `for ${minutes} minutes`;
  return `${devices} devices (${climate}) transmit to ${to}, ${speed} times as fast as real ones; ${until}.`;
}
