/** Where `npm run test:programs` installs programs that Debian does not provide. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export const TEST_PROGRAMS = join(homedir(), '.cache', 'device-monitoring-service', 'test-programs');
