/** Finds the route of a request, among operations or pages. */
import { AppError, orNotFound } from '../process/errors.ts';

/** Parts of messages: the routes are paths, or pages. */
interface Words {
  noun: string;
  nothingThere: string;
}

/**
 * Literal segments take precedence over parameters, so `/devices/config-profiles/config` is a profile. A literal path is no
 * parameter: `/assets/import` is no asset. HEAD is served like GET.
 */
export function createFindRoute<Route extends { method: string; path: string }>(
  routes: readonly Route[],
  { noun, nothingThere }: Words,
) {
  const rank = ({ path }: Route) => path.replace(/\{\w+\}/g, '\uffff');
  const matchers = routes
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .map((route) => ({ route, pattern: toPattern(route.path) }));
  return (method: string, path: string): { route: Route; params: Record<string, string> } => {
    const matching = matchers.filter(({ pattern }) => pattern.test(path));
    const { path: first } = orNotFound(matching[0], nothingThere).route;
    const own = matching.filter(({ route }) => route.path === first);
    const served = method === 'HEAD' ? 'GET' : method;
    const found = (first.includes('{') ? matching : own).find(({ route }) => route.method === served);
    if (found) return { route: found.route, params: paramsIn(found.pattern, path) };
    const methods = own.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : route.method));
    const allowed = methods.join(', ');
    throw new AppError('method_not_allowed', `This ${noun} takes ${allowed}`, {
      headers: { Allow: allowed },
    });
  };
}

/** Matches paths with `{name}` for parameters, which become groups with these names. */
export const toPattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

export const paramsIn = (pattern: RegExp, path: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(pattern.exec(path)?.groups ?? {}).map(([name, segment]) => [name, decoded(segment)]),
  );

/** A malformed segment stays as it was sent, and no id or name has its form. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
