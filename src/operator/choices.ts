/** Options of fields that take ids or slugs: rows of other lists. */
import { nameOfChannel } from '../notifications/notification-channel.ts';
import type { ChoiceSource, ListChoices, Option } from './form-layout.ts';
import type { Ask } from './page-deps.ts';
import type { Session } from './session.ts';
import { listChannels } from './shown-channels.ts';
import type { ShownGroupsRepository } from './shown-groups.repository.ts';

/** Groups that the browser completes; the name of any other one can be typed as well. */
const GROUPS_MAX = 2_000;

export function createChoices(ask: Ask, groups: ShownGroupsRepository): ListChoices {
  /** Those that are chosen already are always among them, also deleted ones, because saving takes away what has no box. */
  async function listGroups({ organizationId }: Session, chosen: unknown): Promise<Option[]> {
    const listed = await groups.list(organizationId, GROUPS_MAX);
    const ids = [chosen].flat().filter((id): id is string => typeof id === 'string' && isId(id));
    const missing = ids.filter((id) => !listed.some(({ value }) => value === id));
    if (missing.length === 0) return listed;
    const found = await groups.listByIds(organizationId, missing);
    const deleted = missing.filter((id) => !found.some(({ value }) => value === id));
    return [...listed, ...found, ...deleted.map((value) => ({ value, label: 'a deleted group' }))];
  }

  const lists: Record<ChoiceSource, (session: Session, chosen: unknown) => Promise<Option[]>> = {
    groups: listGroups,
    async channels(session) {
      const channels = await listChannels(ask, session);
      return channels.map((channel) => ({ value: channel.id, label: nameOfChannel(channel) }));
    },
    async profiles(session) {
      const { profiles } = await ask(session, 'listProfiles');
      return profiles.map(({ slug, name }) => ({ value: slug, label: `${name} (${slug})` }));
    },
  };
  return async (session, { looks = {} }, values) => {
    const found = await Promise.all(
      Object.entries(looks).map(async ([path, { choices }]) =>
        choices ? [[path, await lists[choices](session, values[path])] as const] : [],
      ),
    );
    return Object.fromEntries(found.flat());
  };
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
