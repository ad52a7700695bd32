import type { Sql } from '../db/database.ts';
import { isUniqueViolation } from '../db/faults.ts';
import { query } from '../db/query.ts';
import { conflict } from '../process/errors.ts';
import type { Profile } from './profile.ts';

const COLUMNS = 'slug, name, temperature_alerts as "temperatureAlerts", schedule, intervals';

const SLUG_KEY = 'profiles_slug_key';

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
const columnsOf = ({ name, temperatureAlerts, schedule, intervals }: Profile) => [
  name,
  json(temperatureAlerts),
  json(schedule),
  json(intervals),
];

export type ProfilesRepository = ReturnType<typeof createProfilesRepository>;

export function createProfilesRepository(sql: Sql) {
  return {
    list(organizationId: string): Promise<Profile[]> {
      return query(sql, `select ${COLUMNS} from profiles where organization_id = ? order by slug`, [
        organizationId,
      ]);
    },

    async find(organizationId: string, slug: string): Promise<Profile | null> {
      const [row] = await query<Profile>(
        sql,
        `select ${COLUMNS} from profiles where organization_id = ? and slug = ?`,
        [organizationId, slug],
      );
      return row ?? null;
    },

    /** The profile, locked until the transaction ends. */
    async lock(organizationId: string, slug: string): Promise<Profile | null> {
      const [row] = await query<Profile>(
        sql,
        `select ${COLUMNS} from profiles where organization_id = ? and slug = ? for update`,
        [organizationId, slug],
      );
      return row ?? null;
    },

    /** @throws conflict when the organization has a profile of this slug. */
    async insert(organizationId: string, profile: Profile): Promise<void> {
      await query(
        sql,
        `insert into profiles (organization_id, slug, name, temperature_alerts, schedule, intervals)
         values (?, ?, ?, ?::jsonb, ?::jsonb, ?::jsonb)`,
        [organizationId, profile.slug, ...columnsOf(profile)],
      ).catch((error) => {
        if (!isUniqueViolation(error, SLUG_KEY)) throw error;
        throw conflict(`A profile with the slug ${profile.slug} is there already`);
      });
    },

    async update(organizationId: string, profile: Profile): Promise<void> {
      await query(
        sql,
        `update profiles set name = ?, temperature_alerts = ?::jsonb, schedule = ?::jsonb, intervals = ?::jsonb,
           updated_at = now()
         where organization_id = ? and slug = ?`,
        [...columnsOf(profile), organizationId, profile.slug],
      );
    },
  };
}
