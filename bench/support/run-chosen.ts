import { type OnStop, runAndStop } from '../../dev/embedded/run-and-stop.ts';

/** Runs the benches that the command line names, or all, one after the other on one setup. */
export async function runChosen<Setup>(
  benches: Record<string, (setup: Setup) => Promise<void>>,
  start: (onStop: OnStop) => Promise<Setup>,
): Promise<never> {
  const chosen = process.argv.slice(2);
  const unknown = chosen.filter((name) => !Object.hasOwn(benches, name));
  if (unknown.length > 0) {
    const names = Object.keys(benches).join(', ');
    process.stderr.write(`There is no bench ${unknown.join(', ')}: choose among ${names}\n`);
    process.exit(2);
  }
  await runAndStop(async (onStop) => {
    const setup = await start(onStop);
    for (const [name, bench] of Object.entries(benches)) {
      if (chosen.length === 0 || chosen.includes(name)) await bench(setup);
    }
  });
  process.exit(0);
}
