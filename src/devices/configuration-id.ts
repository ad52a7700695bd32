import { createHash } from 'node:crypto';
import { canonicalText, type DeviceConfiguration } from './configuration.ts';

/**
 * The content address of a configuration within its organization: a UUIDv8 (RFC 9562, section 5.8) of a SHA-256, so
 * the id follows from the content without asking the database.
 */
export function configurationId(organizationId: string, config: DeviceConfiguration): string {
  const digest = createHash('sha256')
    .update(organizationId)
    .update('\n')
    .update(canonicalText(config))
    .digest();
  digest[6] = ((digest[6] as number) & 0x0f) | 0x80;
  digest[8] = ((digest[8] as number) & 0x3f) | 0x80;
  const hex = digest.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Contents by configuration id. */
export type ConfigurationContents = ReadonlyMap<string, DeviceConfiguration>;

/** Rows only refer to stored configurations, so a missing one is a fault and not an absent setting. */
export function contentOf(contents: ConfigurationContents, id: string): DeviceConfiguration {
  const config = contents.get(id);
  if (!config) throw new Error(`configuration ${id} is not there`);
  return config;
}
