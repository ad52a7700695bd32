import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const MB = 1024 * 1024;

/** Memory of this process after a full collection, including buffers, in MB. */
export async function liveMemoryMb(): Promise<number> {
  // Buffers are freed a turn after their owners.
  for (let round = 0; round < 3; round++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / MB;
}
