/** The organization and the keys of a local start: made once, shown at every start, kept in a file beside the data. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sql } from '../../src/db/database.ts';
import { hashOf } from '../../src/keys/api-key.ts';
import { createKeysRepository } from '../../src/keys/keys.repository.ts';
import { createKeyIssuer, isActive } from '../../src/keys/keys.service.ts';
import { createOrganizationsRepository } from '../../src/keys/organizations.repository.ts';
import { writePrivately } from './local-instance.ts';

export interface LocalKeys {
  apiKey: string;
  deviceToken: string;
}

const ORGANIZATION = 'local';

export async function localKeys(sql: Sql, dataDir: string): Promise<LocalKeys> {
  const file = join(dataDir, 'local-keys.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LocalKeys) : null;
  if (kept && (await work(sql, kept))) return kept;
  const { id: organizationId } = await createOrganizationsRepository(sql).ensure(ORGANIZATION);
  const issuer = createKeyIssuer(createKeysRepository(sql), Date.now);
  const issued = {
    apiKey: (await issuer.issue({ organizationId, kind: 'customer', expiresAt: null })).token,
    deviceToken: (await issuer.issue({ organizationId, kind: 'device', expiresAt: null })).token,
  };
  writePrivately(file, JSON.stringify(issued));
  return issued;
}

/** Keys of another database, or revoked ones, are of no use. */
async function work(sql: Sql, { apiKey, deviceToken }: LocalKeys): Promise<boolean> {
  const keys = createKeysRepository(sql);
  const records = await Promise.all([apiKey, deviceToken].map((token) => keys.findByHash(hashOf(token))));
  return records.every((record) => record !== null && isActive(record, Date.now()));
}
