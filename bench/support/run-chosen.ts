import { type OnStop, runAndStop } from '../../dev/embedded/run-and-stop.ts';

/** Runs the benches named on the command line, or all but `onlyByName`, one after the other on one setup. */
export async function runChosen<Setup>(
  benches: Record<string, (setup: Setup) => Promise<void>>,
  start: (onStop: OnStop) => Promise<Setup>,
  onlyByName: readonly string[] = [],
): Promise<never> {
  const chosen = process.argv.slice(2);
  const unknown = chosen.filter((name) => !Object.hasOwn(benches, name));
  if (unknown.length > 0) {
    const names = Object.keys(benches).join(', ');
    process.stderr.write(`There is no bench ${unknown.join(', ')}: choose among ${names}\n`);
    process.exit(2);
  }
  const isChosen = (name: string) =>
    chosen.length === 0 ? !onlyByName.includes(name) : chosen.includes(name);
  await runAndStop(async (onStop) => {
    const setup = await start(onStop);
    for (const [name, bench] of Object.entries(benches)) {
      if (isChosen(name)) await bench(setup);
    }
  });
  process.exit(0);
}
