/** Ends a command quietly when the program that reads its output has ended, as in `dms help | head -1`. */
export function endWithoutReader(): void {
  // Once, however many command lines a process runs.
  for (const stream of [process.stdout, process.stderr]) stream.off('error', onFault).on('error', onFault);
}

let isEnding = false;

function onFault(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  if (isEnding) return;
  isEnding = true;
  // A command that cleans up does so when its terminal goes away, too.
  if (!process.emit('SIGHUP', 'SIGHUP')) process.exit();
}
