import type { Sql } from '../db/database.ts';
import { createOrganizationsRepository } from '../keys/organizations.repository.ts';
import { createOverdueFleetsRepository } from '../presence/overdue-fleets.repository.ts';
import { type Command, option, print, table, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

export const fleetCommands: Command[] = [
  {
    words: ['fleet', 'list'],
    args: '',
    summary: 'lists organizations of which many devices became overdue at once',
    run: () =>
      withDatabase(async (sql) => {
        const fleets = await createOverdueFleetsRepository(sql).list();
        const names = new Map(
          (await createOrganizationsRepository(sql).list()).map(({ id, name }) => [id, name]),
        );
        const rows = fleets.map(({ organizationId, overdue, total, since, isConfirmed }) => [
          names.get(organizationId) ?? organizationId,
          String(overdue),
          String(total),
          since.toISOString(),
          isConfirmed ? 'yes' : 'no',
        ]);
        print(table(['ORGANIZATION', 'OVERDUE', 'DEVICES', 'SINCE', 'CONFIRMED'], rows));
      }),
  },
  {
    words: ['fleet', 'confirm'],
    args: '--org NAME',
    summary: 'confirms that the devices of an overdue fleet are: each of its devices has its own events then',
    run: (input) =>
      withDatabase(async (sql) => {
        const name = option(input, 'org');
        if (name === undefined) throw new UsageError('--org NAME is missing');
        if (!(await confirm(sql, name)))
          throw new UsageError(`No fleet of ${name} is overdue: see fleet list`);
        print(`confirmed ${name}`);
      }),
  },
];

async function confirm(sql: Sql, name: string): Promise<boolean> {
  const organizations = await createOrganizationsRepository(sql).list();
  const found = organizations.find((organization) => organization.name === name);
  return found !== undefined && createOverdueFleetsRepository(sql).confirm(found.id);
}
