/** Devices, groups and webhooks by the subjects of audit entries. */
import { oneOf } from '../db/builder.ts';
import type { Database } from '../db/database.ts';
import type { Subject } from './audit.ts';

/** By id, or by serial number in lower case. */
export type Subjects = ReadonlyMap<string, Subject>;

export type SubjectsRepository = ReturnType<typeof createSubjectsRepository>;

export function createSubjectsRepository(sql: Database) {
  const devices = (organizationId: string, ids: readonly string[]): PromiseLike<SubjectRow[]> =>
    sql('assets')
      .where({ organization_id: organizationId })
      .where(oneOf('id', ids))
      .select('id as subject', 'name', 'serial_number');
  const registered = (organizationId: string, serialNumbers: readonly string[]): PromiseLike<SubjectRow[]> =>
    sql('assets')
      .where({ organization_id: organizationId, archived_at: null })
      .where(oneOf('lower(serial_number)', serialNumbers, 'text'))
      .select(sql.raw('lower(serial_number) as subject'), 'name', 'serial_number');
  const alerting = (organizationId: string, alertIds: readonly string[]): PromiseLike<SubjectRow[]> =>
    sql({ al: 'alerts' })
      .join({ a: 'assets' }, (on) =>
        on.on('a.organization_id', 'al.organization_id').andOn('a.id', 'al.asset_id'),
      )
      .where('al.organization_id', organizationId)
      .where(oneOf('al.id', alertIds))
      .select('al.id as subject', 'a.name', 'a.serial_number');
  const groups = (organizationId: string, ids: readonly string[]): PromiseLike<SubjectRow[]> =>
    sql('groups')
      .where({ organization_id: organizationId })
      .where(oneOf('id', ids))
      .select('id as subject', 'name', sql.raw('null as serial_number'));
  /** Event webhooks have no name, and are known by their URL. */
  const webhooks = (organizationId: string, ids: readonly string[]): PromiseLike<SubjectRow[]> =>
    sql('endpoints')
      .where({ organization_id: organizationId })
      .where(oneOf('id', ids))
      .select('id as subject', sql.raw("case collection when 'event' then url else name end as name"))
      .select(sql.raw('null as serial_number'));

  return {
    /** Serial numbers in lower case. */
    async list(
      organizationId: string,
      { ids, serialNumbers }: { ids: readonly string[]; serialNumbers: readonly string[] },
    ): Promise<Subjects> {
      const found = await Promise.all([
        ids.length > 0 ? devices(organizationId, ids) : [],
        ids.length > 0 ? groups(organizationId, ids) : [],
        ids.length > 0 ? webhooks(organizationId, ids) : [],
        ids.length > 0 ? alerting(organizationId, ids) : [],
        serialNumbers.length > 0 ? registered(organizationId, serialNumbers) : [],
      ]);
      return new Map(
        found
          .flat()
          .map(({ subject, name, serial_number }) => [subject, { name, serialNumber: serial_number }]),
      );
    },
  };
}

interface SubjectRow {
  subject: string;
  name: string;
  serial_number: string | null;
}
