/** Names of profiles that pages know by their short names. */
import type { Database } from '../db/database.ts';

export type ProfileNamesRepository = ReturnType<typeof createProfileNamesRepository>;

export function createProfileNamesRepository(sql: Database) {
  return {
    /** By slug; a deleted profile has none. */
    async list(organizationId: string, slugs: readonly string[]): Promise<Map<string, string>> {
      if (slugs.length === 0) return new Map();
      const rows = await sql('profiles')
        .where({ organization_id: organizationId })
        .whereRaw('slug = any(?::text[])', [[...new Set(slugs)]])
        .select('slug', 'name');
      return new Map(rows.map(({ slug, name }) => [slug, name]));
    },
  };
}
