/** Groups by name alone: the list of the API counts the members of each. */
import type { Database } from '../db/database.ts';
import type { Option } from './form-layout.ts';

export type GroupNamesRepository = ReturnType<typeof createGroupNamesRepository>;

export function createGroupNamesRepository(sql: Database) {
  const inUse = (organizationId: string) =>
    sql('groups').where({ organization_id: organizationId, deleted_at: null });
  const toOptions = (rows: Array<{ id: string; name: string }>): Option[] =>
    rows.map(({ id, name }) => ({ value: id, label: name }));

  return {
    /** By name. */
    async list(organizationId: string, limit: number): Promise<Option[]> {
      const rows = await inUse(organizationId)
        .orderByRaw('casefold(name collate pg_unicode_fast)')
        .limit(limit)
        .select('id', 'name');
      return toOptions(rows);
    },

    async listByIds(organizationId: string, ids: readonly string[]): Promise<Option[]> {
      const rows = await inUse(organizationId)
        .whereRaw('id = any(?::uuid[])', [[...ids]])
        .select('id', 'name');
      return toOptions(rows);
    },
  };
}
