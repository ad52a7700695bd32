import type { Database } from '../db/database.ts';
import { readClock } from '../db/database-clock.ts';
import { toId } from '../http/audit.ts';
import type { Role } from '../http/role.ts';
import type { KeyKind } from '../http/route.ts';
import { type KeyView, keyView, NEEDS_OWN_TOKENS } from '../keys/api-key.ts';
import { createKeysRepository, type KeyRecord } from '../keys/keys.repository.ts';
import {
  createKeyIssuer,
  type IssuedKey,
  type KeyIssuer,
  type KeyRequest,
  requireRoomForKey,
} from '../keys/keys.service.ts';
import { createOrganizationsRepository } from '../keys/organizations.repository.ts';
import { conflict, notFound } from '../process/errors.ts';
import { UUID } from '../process/uuid.ts';
import { type Change, changing } from './changing.ts';
import { type Command, type CommandInput, durationMs, option, required, UsageError } from './command.ts';
import { parseName } from './names.ts';
import { type Ensured, ensured, findOrganization, organizationName } from './organization-commands.ts';
import { withDatabase } from './with-database.ts';

const OVERLAP_DEFAULT = '24h';

export const keyCommands: Command[] = [
  {
    words: ['key', 'create'],
    args: '--org NAME [--create] [--kind customer|device] [--role admin|write|read] [--name NAME] [--expires 90d]',
    summary: 'print the id of a new key and, last and only this once, the key',
    details:
      'At a terminal, an organization that is not there is refused unless --create is given, or it is the first one.\n' +
      'A script that runs without one makes it.',
    ...changing('createKey', async (input, { sql }) => {
      const kind = (option(input, 'kind') ?? 'customer') as KeyKind;
      const role = roleOption(input, kind);
      const expires = option(input, 'expires');
      const expiresAt = expires === undefined ? null : await later(sql, expiresInMs(expires));
      const name = nameOption(input);
      const { organization, changes } = await organizationOfKey(sql, input);
      if (kind === 'device' && organization.requiresDeviceTokens) throw conflict(NEEDS_OWN_TOKENS);
      const key = await issueKey(sql, { organizationId: organization.id, name, kind, role, expiresAt });
      return { changes: [...changes, key.change], output: `${key.id}\n${key.token}` };
    }),
  },
  {
    words: ['key', 'list'],
    args: '[--org NAME]',
    summary: 'list keys by their first characters',
    run: (input) =>
      withDatabase(async (sql) => {
        const given = option(input, 'org');
        const name = given === undefined ? null : organizationName(given);
        if (name !== null) await findOrganization(sql, name);
        const keys = await createKeysRepository(sql).list(name);
        const headings = ['ID', 'ORGANIZATION', 'KIND', 'KEY', 'STATE', 'CREATED', 'EXPIRES', 'ROLE', 'NAME'];
        const now = await readClock(sql);
        return { headings, rows: keys.map((key) => rowOf(key, now)) };
      }),
  },
  {
    words: ['key', 'rotate'],
    args: 'ID [--overlap 24h]',
    summary: 'print a new key; the old one goes on for the overlap',
    ...changing('rotateKey', async (input, { sql }) => {
      const overlapMs = durationMs(option(input, 'overlap') ?? OVERLAP_DEFAULT, 'overlap');
      const id = keyId(input);
      const before = await shownKey(sql, id);
      const issued = await (await issuerOn(sql)).rotate(id, overlapMs);
      const organizationId = await ownerOf(sql, id);
      const after = await shownKey(sql, issued.id);
      const rotated = { organizationId, subject: id, before, after };
      return { changes: [rotated], output: `${issued.id}\n${issued.token}` };
    }),
  },
  {
    words: ['key', 'revoke'],
    args: 'ID',
    summary: 'end a key; every process refuses it within 5 s',
    ...changing('deleteKey', async (input, { sql }) => {
      const id = keyId(input);
      const before = await shownKey(sql, id);
      if (!(await createKeysRepository(sql).revoke(id))) throw notFound(`No active key has the id ${id}`);
      const organizationId = await ownerOf(sql, id);
      const revoked = { organizationId, subject: id, before, after: null };
      return { changes: [revoked], output: `revoked ${id}` };
    }),
  },
];

/** Issues a key, unless its organization has too many already. */
export async function issueKey(sql: Database, wanted: KeyRequest): Promise<IssuedKey & { change: Change }> {
  const { organizationId } = wanted;
  await requireRoomForKey(createKeysRepository(sql), organizationId);
  const issued = await (await issuerOn(sql)).issue(wanted);
  const after = await shownKey(sql, issued.id);
  return { ...issued, change: { organizationId, subject: issued.id, before: null, after } };
}

/** The key as in GET /keys. */
async function shownKey(sql: Database, id: string): Promise<KeyView | null> {
  const key = await createKeysRepository(sql).find(id);
  return key && keyView(key);
}

const ownerOf = async (sql: Database, id: string): Promise<string> =>
  ((await createKeysRepository(sql).find(id)) as KeyRecord).organizationId;

async function issuerOn(sql: Database): Promise<KeyIssuer> {
  const now = await readClock(sql);
  return createKeyIssuer(createKeysRepository(sql), () => now.getTime());
}

const later = async (sql: Database, ms: number): Promise<Date> =>
  new Date((await readClock(sql)).getTime() + ms);

/**
 * Creates an organization only on request, so that a mistyped name makes none. Scripts set up a service with
 * the first key of each.
 */
async function organizationOfKey(sql: Database, input: CommandInput): Promise<Ensured> {
  const name = organizationName(required(input, 'org'));
  const known = process.stdin.isTTY ? await createOrganizationsRepository(sql).list() : [];
  const isKnown = known.length === 0 || known.some((each) => each.name === name);
  if (!isKnown && input.options.create !== true)
    throw new UsageError(
      `There is no organization "${name}"; there are ${listed(known.map((each) => each.name))}. To make it, add --create`,
    );
  return ensured(sql, name);
}

const LISTED_MAX = 10;

const listed = (names: string[]): string =>
  names.length > LISTED_MAX
    ? `${names.length} others, see org list`
    : names.map((name) => `"${name}"`).join(', ');

function roleOption(input: CommandInput, kind: KeyKind): Role | null {
  const role = option(input, 'role') as Role | undefined;
  if (role === undefined) return kind === 'customer' ? 'admin' : null;
  if (kind === 'device') throw new UsageError('--role is for customer keys: device keys have none');
  return role;
}

function expiresInMs(expires: string): number {
  const ms = durationMs(expires, 'expires');
  if (ms === 0) throw new UsageError('--expires must be longer than 0: such a key would not work at all');
  return ms;
}

function nameOption(input: CommandInput): string | null {
  const given = option(input, 'name');
  return given === undefined ? null : parseName(given, '--name');
}

function keyId(input: CommandInput): string {
  const id = required(input, 0, 'ID');
  if (!UUID.test(id)) throw new UsageError('ID must be the id of a key: see key list');
  return toId(id);
}

function rowOf(key: KeyRecord, now: Date): Array<string | null> {
  const isExpired = key.expiresAt !== null && key.expiresAt <= now;
  const state = key.revokedAt ? 'revoked' : isExpired ? 'expired' : 'active';
  const times = [key.createdAt.toISOString(), key.expiresAt?.toISOString() ?? null];
  const columns = [key.id, key.organizationName, key.kind, key.tokenPreview, state, ...times];
  return [...columns, key.role, key.name];
}
