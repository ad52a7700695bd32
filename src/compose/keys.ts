import { observeGroupCommit } from '../http/metrics.ts';
import { createTokenBucket } from '../http/token-bucket.ts';
import { createKeyLookup, createKeyUses } from '../keys/key-lookup.service.ts';
import { createKeysRepository } from '../keys/keys.repository.ts';
import { keysRoutes } from '../keys/keys.routes.ts';
import { createDeviceTokens, createKeysService } from '../keys/keys.service.ts';
import type { Resources } from './resources.ts';

/** All keys of an organization together have the limit of this many keys. */
const KEYS_PER_ORGANIZATION = 10;

/** A key has one limit per process, over HTTP and CoAP, and so has an address that sends wrong keys. */
export function composeKeys({ sql, settings, metrics, log, now, monotonicMs }: Resources) {
  const clock = () => now().getTime();
  const { customerLimit, deviceLimit, failedKeysPerMinute } = settings;
  const keys = createKeysRepository(sql);
  const keysIn = createKeysRepository;
  const bucketOf = ({ perSecond, burst }: typeof customerLimit, factor: number) =>
    createTokenBucket({ perSecond: perSecond * factor, burst: burst * factor, monotonicMs });
  const bucketsOf = (factor: number) => ({
    customer: bucketOf(customerLimit, factor),
    device: bucketOf(deviceLimit, factor),
  });
  return {
    routes: keysRoutes({ keys, keysIn, service: createKeysService({ keysIn, now: clock }) }),
    deviceTokens: createDeviceTokens({ keysIn, now: clock }),
    findCaller: createKeyLookup({
      keys,
      recordUse: createKeyUses({
        keys,
        now: clock,
        onFault: (err) => log.warn({ err }, 'The last use of keys was not written: a later request does it'),
      }),
      now: clock,
      monotonicMs,
      observer: observeGroupCommit(metrics, 'keys'),
    }),
    limits: bucketsOf(1),
    organizationLimits: bucketsOf(KEYS_PER_ORGANIZATION),
    /** Per address. */
    failures: createTokenBucket({
      perSecond: failedKeysPerMinute / 60,
      burst: failedKeysPerMinute,
      monotonicMs,
    }),
  };
}
