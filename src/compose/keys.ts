import { createKeysRepository } from '../keys/keys.repository.ts';
import { createKeyLookup } from '../keys/keys.service.ts';
import type { Resources } from './resources.ts';

export const composeKeys = ({ sql, now }: Resources) => ({
  findCaller: createKeyLookup({ keys: createKeysRepository(sql), now: () => now().getTime() }),
});
