/**
 * Runs a program. A fault at its start is printed as one sentence without a stack, and ends it with exit code
 * 1. `portSetting` is what chooses its port.
 */
export async function runMain(run: () => Promise<void>, portSetting = 'PORT'): Promise<void> {
  endWithoutReader();
  try {
    await run();
  } catch (error) {
    process.stderr.write(`${explain(error, portSetting)}\n`);
    process.exit(1);
  }
}

/**
 * Ends the program quietly when its output has no reader any more, as in `dms help | head -1`: as it ends when
 * its terminal is closed.
 */
export function endWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) stream.off('error', onFault).on('error', onFault);
}

let isEnding = false;
function onFault(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  if (isEnding) return;
  isEnding = true;
  if (!process.emit('SIGHUP', 'SIGHUP')) process.exit();
}

function explain(error: unknown, portSetting: string): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port, syscall } = error as NodeJS.ErrnoException & { port?: number };
  // Only UDP sockets fail in `bind`; TCP ones fail in `listen`.
  const name = syscall === 'bind' ? 'COAP_PORT' : portSetting;
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken: choose another one with ${name}, or stop what listens there`;
  return error.message || String(error);
}
