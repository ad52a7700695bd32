import type { Sql } from '../db/database.ts';
import { query } from '../db/query.ts';

export interface Organization {
  id: string;
  name: string;
  createdAt: Date;
}

const COLUMNS = 'id, name, created_at as "createdAt"';

export function createOrganizationsRepository(sql: Sql) {
  return {
    list(): Promise<Organization[]> {
      return query(sql, `select ${COLUMNS} from organizations order by name`);
    },

    async findByName(name: string): Promise<Organization | null> {
      const [row] = await query<Organization>(sql, `select ${COLUMNS} from organizations where name = ?`, [
        name,
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
  };
}
