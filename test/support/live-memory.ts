import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const MB = 1024 * 1024;

/** What this process holds after a full collection, buffers included, in MB. */
export async function liveMemoryMb(): Promise<number> {
  // Buffers are freed a turn after what held them.
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MB;
}
