import { observeGroupCommit } from '../http/metrics.ts';
import { createTokenBucket } from '../http/token-bucket.ts';
import { createDeviceTokens } from '../keys/device-tokens.service.ts';
import { createKeyLookup } from '../keys/key-lookup.service.ts';
import { createKeysRepository } from '../keys/keys.repository.ts';
import { keysRoutes } from '../keys/keys.routes.ts';
import { createKeyIssuer, createKeysService } from '../keys/keys.service.ts';
import type { Resources } from './resources.ts';

/** Over HTTP and CoAP alike, a key has one limit in a process, and so has an address that sends wrong keys. */
export function composeKeys({ sql, settings, metrics, now }: Resources) {
  const clock = () => now().getTime();
  const { customerLimit, deviceLimit, failedKeysPerMinute } = settings;
  const keys = createKeysRepository(sql);
  const keysIn = createKeysRepository;
  return {
    routes: keysRoutes({ keys, keysIn, service: createKeysService({ keysIn, now: clock }) }),
    deviceTokens: createDeviceTokens({
      keysIn,
      issuerIn: (on) => createKeyIssuer(createKeysRepository(on), clock),
      now: clock,
    }),
    findCaller: createKeyLookup({ keys, now: clock, observer: observeGroupCommit(metrics, 'keys') }),
    limits: {
      customer: createTokenBucket({ ...customerLimit, now: clock }),
      device: createTokenBucket({ ...deviceLimit, now: clock }),
    },
    /** By address. */
    failures: createTokenBucket({
      perSecond: failedKeysPerMinute / 60,
      burst: failedKeysPerMinute,
      now: clock,
    }),
  };
}
