import { setImmediate as nextTurn } from 'node:timers/promises';

/** Warnings of Node.js about timers that `run` sets, such as one that is to wait for too long and fires at once. */
export async function timerWarnings(run: () => unknown): Promise<string[]> {
  const found: string[] = [];
  const onWarning = ({ name }: Error) => void (/^Timeout/.test(name) && found.push(name));
  process.on('warning', onWarning);
  try {
    run();
    await nextTurn();
    return found;
  } finally {
    process.off('warning', onWarning);
  }
}
