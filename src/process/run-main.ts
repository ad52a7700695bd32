/**
 * Runs a program. A fault at its start is printed as one sentence without a stack, and ends it with exit code
 * 1.
 */
export async function runMain(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  }
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port, syscall } = error as NodeJS.ErrnoException & { port?: number };
  // Only UDP sockets fail in `bind`; TCP ones fail in `listen`.
  const name = syscall === 'bind' ? 'COAP_PORT' : 'PORT';
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken: choose another one with ${name}, or stop what listens there`;
  return error.message || String(error);
}
