import type { Sql } from '../db/database.ts';
import type { KeyKind } from '../http/route.ts';
import { createKeysRepository, type KeyRecord } from '../keys/keys.repository.ts';
import { createKeyIssuer } from '../keys/keys.service.ts';
import { createOrganizationsRepository } from '../keys/organizations.repository.ts';
import {
  type Command,
  type CommandInput,
  durationMs,
  option,
  print,
  required,
  table,
  UsageError,
} from './command.ts';
import { organizationName } from './organization-commands.ts';
import { withDatabase } from './with-database.ts';

const OVERLAP_DEFAULT = '24h';

export const keyCommands: Command[] = [
  {
    words: ['key', 'create'],
    args: '--org NAME [--kind customer|device] [--expires 90d]',
    summary: 'prints the id of a new key and, last and only this once, the key',
    run: (input) =>
      withDatabase(async (sql) => {
        const expires = option(input, 'expires');
        const expiresAt =
          expires === undefined ? null : new Date(Date.now() + durationMs(expires, 'expires'));
        const kind = kindOption(input);
        const organization = await createOrganizationsRepository(sql).ensure(organizationOption(input));
        const issued = await issuerOn(sql).issue({ organizationId: organization.id, kind, expiresAt });
        print(`${issued.id}\n${issued.token}`);
      }),
  },
  {
    words: ['key', 'list'],
    args: '[--org NAME]',
    summary: 'lists keys by their first characters',
    run: (input) =>
      withDatabase(async (sql) => {
        const keys = await createKeysRepository(sql).list(option(input, 'org') ?? null);
        const headings = ['ID', 'ORGANIZATION', 'KIND', 'KEY', 'STATE', 'CREATED', 'EXPIRES'];
        print(table(headings, keys.map(rowOf)));
      }),
  },
  {
    words: ['key', 'rotate'],
    args: 'ID [--overlap 24h]',
    summary: 'prints a new key; the old one goes on for the overlap',
    run: (input) =>
      withDatabase(async (sql) => {
        const overlapMs = durationMs(option(input, 'overlap') ?? OVERLAP_DEFAULT, 'overlap');
        const issued = await issuerOn(sql).rotate(keyId(input), overlapMs);
        print(`${issued.id}\n${issued.token}`);
      }),
  },
  {
    words: ['key', 'revoke'],
    args: 'ID',
    summary: 'ends a key; every process refuses it within 5 s',
    run: (input) =>
      withDatabase(async (sql) => {
        const id = keyId(input);
        if (!(await createKeysRepository(sql).revoke(id)))
          throw new UsageError(`No active key has the id ${id}`);
        print(`revoked ${id}`);
      }),
  },
];

const issuerOn = (sql: Sql) => createKeyIssuer(createKeysRepository(sql), Date.now);

function organizationOption(input: CommandInput): string {
  const name = option(input, 'org');
  if (name === undefined) throw new UsageError('--org NAME is missing');
  return organizationName(name);
}

function kindOption(input: CommandInput): KeyKind {
  const kind = option(input, 'kind') ?? 'customer';
  if (kind !== 'customer' && kind !== 'device') throw new UsageError('--kind must be customer or device');
  return kind;
}

function keyId(input: CommandInput): string {
  const id = required(input, 0, 'ID');
  if (!/^[0-9a-f-]{36}$/i.test(id)) throw new UsageError('ID must be the id of a key: see key list');
  return id;
}

function rowOf(key: KeyRecord): Array<string | null> {
  const isExpired = key.expiresAt !== null && key.expiresAt.getTime() <= Date.now();
  const state = key.revokedAt ? 'revoked' : isExpired ? 'expired' : 'active';
  const times = [key.createdAt.toISOString(), key.expiresAt?.toISOString() ?? null];
  return [key.id, key.organizationName, key.kind, key.tokenPreview, state, ...times];
}
