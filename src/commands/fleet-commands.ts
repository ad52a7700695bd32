import { createOrganizationsRepository } from '../keys/organizations.repository.ts';
import { createOverdueFleetsRepository } from '../presence/overdue-fleets.repository.ts';
import { notFound } from '../process/errors.ts';
import { changing } from './changing.ts';
import { type Command, required } from './command.ts';
import { withDatabase } from './with-database.ts';

export const fleetCommands: Command[] = [
  {
    words: ['fleet', 'list'],
    args: '',
    summary: 'list organizations with many devices that became overdue at once',
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
        return { headings: ['ORGANIZATION', 'OVERDUE', 'DEVICES', 'SINCE', 'CONFIRMED'], rows };
      }),
  },
  {
    words: ['fleet', 'confirm'],
    args: '--org NAME',
    summary: 'confirm that the devices of an overdue fleet really are offline; each then gets its own events',
    ...changing('confirmFleet', async (input, { sql }) => {
      const name = required(input, 'org');
      const organization = await createOrganizationsRepository(sql).findByName(name);
      const isConfirmed =
        organization !== null && (await createOverdueFleetsRepository(sql).confirm(organization.id));
      if (!isConfirmed) throw notFound(`No fleet of ${name} is overdue: see fleet list`);
      return {
        changes: [{ organizationId: organization.id, subject: organization.id, before: null, after: null }],
        output: `confirmed ${name}`,
      };
    }),
  },
];
