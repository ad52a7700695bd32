import type { Sql } from '../db/database.ts';
import { createOrganizationsRepository } from '../keys/organizations.repository.ts';
import { createFleetSilencesRepository } from '../presence/fleet-silences.repository.ts';
import { type Command, option, print, table, UsageError } from './command.ts';
import { withDatabase } from './with-database.ts';

export const fleetCommands: Command[] = [
  {
    words: ['fleet', 'list'],
    args: '',
    summary: 'lists organizations of which many devices fell silent at once',
    run: () =>
      withDatabase(async (sql) => {
        const silences = await createFleetSilencesRepository(sql).list();
        const names = new Map(
          (await createOrganizationsRepository(sql).list()).map(({ id, name }) => [id, name]),
        );
        const rows = silences.map(({ organizationId, silent, total, since, isConfirmed }) => [
          names.get(organizationId) ?? organizationId,
          String(silent),
          String(total),
          since.toISOString(),
          isConfirmed ? 'yes' : 'no',
        ]);
        print(table(['ORGANIZATION', 'SILENT', 'DEVICES', 'SINCE', 'CONFIRMED'], rows));
      }),
  },
  {
    words: ['fleet', 'confirm'],
    args: '--org NAME',
    summary: 'confirms that a silent fleet is silent indeed: each of its devices has its own events then',
    run: (input) =>
      withDatabase(async (sql) => {
        const name = option(input, 'org');
        if (name === undefined) throw new UsageError('--org NAME is missing');
        if (!(await confirm(sql, name)))
          throw new UsageError(`No fleet of ${name} is silent: see fleet list`);
        print(`confirmed ${name}`);
      }),
  },
];

async function confirm(sql: Sql, name: string): Promise<boolean> {
  const organizations = await createOrganizationsRepository(sql).list();
  const found = organizations.find((organization) => organization.name === name);
  return found !== undefined && createFleetSilencesRepository(sql).confirm(found.id);
}
