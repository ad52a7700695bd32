/** What the entries share: a fault at the start is one plain sentence and exit code 1, not a stack. */
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
  // UDP binds, TCP listens.
  const name = syscall === 'bind' ? 'COAP_PORT' : 'PORT';
  if (code === 'EADDRINUSE')
    return `Port ${port} is taken: choose another one with ${name}, or stop what listens there`;
  return error.message || String(error);
}
