/**
 * The credential in a configuration report. Field 24 holds the token that the logger has stored, field 23
 * whether it sends one: 1 in a field, 2 the IMEI in its place, 255 none (Efento proto_config.proto). A stored
 * text that is not sent is a setting like any other, mostly zeros or the token of another cloud.
 */
import { looksLikeKey } from '../keys/api-key.ts';
import type { ConfigReport } from './config-message.ts';

const SENT_IN_FIELD = 1;

/** Null if the report counts as one without a token. */
export function tokenOfReport({
  cloudToken,
  settings: { cloudTokenConfig = SENT_IN_FIELD },
}: Pick<ConfigReport, 'cloudToken' | 'settings'>): string | null {
  if (cloudToken === null || cloudTokenConfig !== SENT_IN_FIELD) return null;
  return looksLikeKey(cloudToken) ? cloudToken : null;
}
