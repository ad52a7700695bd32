/** Options of fields that take ids or slugs: rows of other lists. */
import type { ChoiceSource, ListChoices, Option } from './form-layout.ts';
import type { Ask } from './page-deps.ts';
import type { Session } from './session.ts';

const LIMIT = '500';

export function createChoices(ask: Ask): ListChoices {
  const lists: Record<ChoiceSource, (session: Session) => Promise<Option[] | null>> = {
    async groups(session) {
      const { items, nextCursor } = await ask(session, 'listGroups', { query: { limit: LIMIT } });
      return nextCursor === null ? items.map(({ id, name }) => ({ value: id, label: name })) : null;
    },
    async channels(session) {
      const { items, nextCursor } = await ask(session, 'listNotificationChannels', {
        query: { limit: LIMIT },
      });
      return nextCursor === null
        ? items.map(({ id, type, target }) => ({ value: id, label: `${type} ${target}` }))
        : null;
    },
    async profiles(session) {
      const { profiles } = await ask(session, 'listProfiles');
      return profiles.map(({ slug, name }) => ({ value: slug, label: `${name} (${slug})` }));
    },
  };
  return async (session, { looks = {} }) => {
    const found = await Promise.all(
      Object.entries(looks).map(async ([path, { choices }]) => {
        const options = choices ? await lists[choices](session) : null;
        return options ? [[path, options] as const] : [];
      }),
    );
    return Object.fromEntries(found.flat());
  };
}
