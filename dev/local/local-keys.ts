/** The keys of a local start: created once, and stored in files beside the data. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../src/db/database.ts';
import { hashKey, isActive } from '../../src/keys/api-key.ts';
import { createKeysRepository } from '../../src/keys/keys.repository.ts';
import { createKeyIssuer } from '../../src/keys/keys.service.ts';
import { createOrganizationsRepository } from '../../src/keys/organizations.repository.ts';
import { toLink } from '../../src/operator/session.ts';
import { createSessionsRepository } from '../../src/operator/sessions.repository.ts';
import { createLinkIssuer } from '../../src/operator/sessions.service.ts';
import { writePrivately } from '../../src/process/write-privately.ts';

export interface LocalKeys {
  apiKey: string;
  deviceToken: string;
}

export const SECRETS_KEY_FILE = 'secrets.key';
const ORGANIZATION = 'local';
const SECRETS_KEY_BYTES = 32;

/** The organization's keys, shown at every start. */
export async function localKeys(sql: Database, dataDir: string): Promise<LocalKeys> {
  const file = join(dataDir, 'local-keys.json');
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LocalKeys) : null;
  if (kept && (await areActive(sql, kept))) return kept;
  const { id: organizationId } = await createOrganizationsRepository(sql).ensure(ORGANIZATION);
  const issuer = createKeyIssuer(createKeysRepository(sql), Date.now);
  const issued = {
    apiKey: (await issuer.issue({ organizationId, kind: 'customer', expiresAt: null })).token,
    deviceToken: (await issuer.issue({ organizationId, kind: 'device', expiresAt: null })).token,
  };
  writePrivately(file, JSON.stringify(issued));
  return issued;
}

/** A link that signs in to the operators' page once. */
export async function localOperatorLink(sql: Database, baseUrl: string): Promise<string> {
  const { id: organizationId } = await createOrganizationsRepository(sql).ensure(ORGANIZATION);
  const issue = createLinkIssuer({ sessionsIn: createSessionsRepository, now: () => new Date() });
  const link = await issue(sql, { organizationId, name: 'operator', role: 'admin', keyId: null });
  return toLink(baseUrl, link);
}

/** False if they belong to another database, or were revoked. */
async function areActive(sql: Database, { apiKey, deviceToken }: LocalKeys): Promise<boolean> {
  const records = await createKeysRepository(sql).findByHashes([apiKey, deviceToken].map(hashKey));
  return records.every((record) => record !== null && isActive(record, Date.now()));
}

/** The key that encrypts webhook secrets at rest. */
export function localSecretsKeys(dataDir: string): string {
  const file = join(dataDir, SECRETS_KEY_FILE);
  if (!existsSync(file)) {
    const key = `1:${randomBytes(SECRETS_KEY_BYTES).toString('base64')}`;
    writeFileSync(file, key, { mode: 0o600, flag: 'wx' });
  }
  return readFileSync(file, 'utf8').trim();
}
