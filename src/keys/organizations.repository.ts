import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';
import { toName } from '../http/one-line.ts';

export interface Organization {
  id: string;
  name: string;
  createdAt: Date;
  requiresDeviceTokens: boolean;
}

const COLUMNS = 'id, name, created_at as "createdAt", requires_device_tokens as "requiresDeviceTokens"';

export function createOrganizationsRepository(sql: Sql) {
  return {
    list(): Promise<Organization[]> {
      return query(sql, `select ${COLUMNS} from organizations order by name`);
    },

    /** Names are stored by `toName`. */
    async findByName(name: string): Promise<Organization | null> {
      const [row] = await query<Organization>(sql, `select ${COLUMNS} from organizations where name = ?`, [
        toName(name),
      ]);
      return row ?? null;
    },

    /** Finds or creates the organization of that name. */
    async ensure(name: string): Promise<Organization> {
      const [row] = await query<Organization>(
        sql,
        `insert into organizations (name) values (?)
         on conflict on constraint organizations_name_key do update set name = excluded.name
         returning ${COLUMNS}`,
        [name],
      );
      return row as Organization;
    },

    /** Whether tokens that are good for all devices are refused. */
    async setRequiresDeviceTokens(id: string, isRequired: boolean): Promise<void> {
      await query(sql, 'update organizations set requires_device_tokens = ? where id = ?', [isRequired, id]);
    },
  };
}
