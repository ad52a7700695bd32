import { keysHtml, sessionsHtml } from './access-html.ts';
import { auditHtml } from './audit-html.ts';
import { fieldsHtml } from './form-html.ts';
import { readValues } from './form-values.ts';
import { type FormPageDeps, type OperatorPage, pageIn } from './page-deps.ts';
import { OPERATOR_PATH } from './session.ts';

const section = 'Access';

export const accessRoutes = ({ ask, showPage, linksFor, fieldsOf, now }: FormPageDeps): OperatorPage[] => [
  showPage(
    { path: `${OPERATOR_PATH}/keys`, section, role: 'admin', isLive: true },
    async (session, { query }) => {
      const keys = await ask(session, 'listKeys', { query: pageIn(query) });
      const content = keysHtml(keys, { link: linksFor(session), now: now() });
      return { title: 'API keys', content };
    },
  ),
  // All who watch a page share its drawing, and this one marks the session of its reader.
  showPage({ path: `${OPERATOR_PATH}/sessions`, section, role: 'admin' }, async (session, { query }) => {
    const sessions = await ask(session, 'listOperatorSessions', { query: pageIn(query) });
    const content = sessionsHtml(sessions, { link: linksFor(session), ownId: session.id });
    return { title: 'Sessions', content };
  }),
  showPage({ path: `${OPERATOR_PATH}/audit`, section, isLive: true }, async (session, { query }) => {
    const fields = fieldsOf('listAudit', 'query').filter(({ name }) => name !== 'limit' && name !== 'cursor');
    const values = readValues(fields, query);
    const search = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
    const entries = await ask(session, 'listAudit', { query: { ...search, ...pageIn(query) } });
    const content = auditHtml(entries, fieldsHtml({ fields, values }).content, {
      query,
      isAdmin: session.role === 'admin',
      link: linksFor(session),
    });
    return { title: 'Audit trail', content };
  }),
];
