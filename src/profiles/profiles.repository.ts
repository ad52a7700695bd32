import { countRows, lockName, oneOf, toJson } from '../db/builder.ts';
import type { Columns } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { isUniqueViolation } from '../db/faults.ts';
import { conflict } from '../process/errors.ts';
import type { Profile } from './profile.ts';

interface ProfileRow extends Columns<Profile> {
  organization_id: string;
  updated_at: Date;
}

declare module 'knex/types/tables.js' {
  interface Tables {
    profiles: ProfileRow;
  }
}

const toProfile = ({ slug, name, temperature_alerts, schedule, intervals }: ProfileRow): Profile => ({
  slug,
  name,
  temperatureAlerts: temperature_alerts,
  schedule,
  intervals,
});

const toColumns = ({ name, temperatureAlerts, schedule, intervals }: Profile) => ({
  name,
  temperature_alerts: toJson(temperatureAlerts),
  schedule: toJson(schedule),
  intervals: toJson(intervals),
});

/** All are listed in one answer. */
const PROFILES_MAX = 1_000;

export type ProfilesRepository = ReturnType<typeof createProfilesRepository>;

export function createProfilesRepository(sql: Database) {
  const one = (organizationId: string, slug: string) =>
    sql('profiles').where({ organization_id: organizationId, slug });

  return {
    async list(organizationId: string): Promise<Profile[]> {
      const rows = await sql('profiles').where({ organization_id: organizationId }).orderBy('slug');
      return rows.map(toProfile);
    },

    async find(organizationId: string, slug: string): Promise<Profile | null> {
      const row = await one(organizationId, slug).first();
      return row ? toProfile(row) : null;
    },

    /** Names by slug; a profile that was deleted has none. */
    async listNames(organizationId: string, slugs: readonly string[]): Promise<Map<string, string>> {
      if (slugs.length === 0) return new Map();
      const rows = await sql('profiles')
        .where({ organization_id: organizationId })
        .where(oneOf('slug', [...new Set(slugs)], 'text'))
        .select('slug', 'name');
      return new Map(rows.map(({ slug, name }) => [slug, name]));
    },

    /** Locks the profile until the transaction ends. */
    async lock(organizationId: string, slug: string): Promise<Profile | null> {
      const row = await one(organizationId, slug).first().forUpdate();
      return row ? toProfile(row) : null;
    },

    /** @throws conflict when the organization has a profile with this slug, or the most that it can have. */
    async insert(organizationId: string, profile: Profile): Promise<void> {
      await lockName(sql, `profiles:${organizationId}`);
      const count = await countRows(sql('profiles').where({ organization_id: organizationId }));
      if (count >= PROFILES_MAX)
        throw conflict(`There are ${PROFILES_MAX} profiles, the most there can be: change one`);
      try {
        await sql('profiles').insert({
          organization_id: organizationId,
          slug: profile.slug,
          ...toColumns(profile),
        });
      } catch (error) {
        if (!isUniqueViolation(error, 'profiles_slug_key')) throw error;
        throw conflict(`A profile with the slug ${profile.slug} is there already`);
      }
    },

    async update(organizationId: string, profile: Profile): Promise<void> {
      await one(organizationId, profile.slug).update({ ...toColumns(profile), updated_at: sql.fn.now() });
    },
  };
}
