import { readFileSync } from 'node:fs';

/** package.json is two folders above this file in the sources, and three in the build. */
const isBuilt = import.meta.url.endsWith('.js');
const packageFile = new URL(isBuilt ? '../../../package.json' : '../../package.json', import.meta.url);

export const VERSION = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;

export const API_INFO = {
  title: 'Device Monitoring Service',
  version: VERSION,
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'The Device Monitoring Service maintainers' },
  description:
    'A registry of cellular temperature loggers, their configuration profiles, and webhooks. Every error is `{"success": false, "message": "…"}`, and the message says what would be right.',
};
