import { readEscalationForm } from './escalation-form.ts';
import { escalationHtml, escalationsHtml } from './escalations-html.ts';
import { given, noticeOf, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';

const path = `${OPERATOR_PATH}/escalations`;
const itemPath = `${path}/{escalationId}`;
const DONE: Record<string, string> = {
  saved: 'The escalation is saved.',
  deleted: 'The escalation is deleted.',
};
const section = 'Notifications';
/** The maximum number of channels. */
const CHANNELS = { limit: '100' };

export function escalationsRoutes({ ask, layout }: PageDeps): OperatorPage[] {
  const listChannels = async (session: Session) =>
    (await ask(session, 'listNotificationChannels', { query: CHANNELS })).items;

  return [
    {
      method: 'GET',
      path,
      role: 'read',
      async handle({ visitor: session, query }) {
        const cursor = given({ cursor: query.get('cursor') });
        const escalations = await ask(session, 'listEscalations', { query: { ...cursor, limit: '50' } });
        const channels = await listChannels(session);
        const content = escalationsHtml({ escalations, channels, mayChange: session.role !== 'read' });
        const notice = noticeOf(query, DONE);
        return { page: layout({ title: 'Escalations', session, section, notice }, content) };
      },
    },
    {
      method: 'POST',
      path,
      role: 'write',
      async handle({ visitor: session, form }) {
        await ask(session, 'createEscalation', { body: readEscalationForm(form) });
        return { location: `${path}?done=saved` };
      },
    },
    {
      method: 'GET',
      path: itemPath,
      role: 'write',
      async handle({ visitor: session, params }) {
        const escalation = await ask(session, 'getEscalation', { params });
        const content = escalationHtml(escalation, await listChannels(session));
        return { page: layout({ title: escalation.name, session, section }, content) };
      },
    },
    {
      method: 'POST',
      path: itemPath,
      role: 'write',
      async handle({ visitor: session, params, form }) {
        await ask(session, 'updateEscalation', { params, body: readEscalationForm(form) });
        return { location: `${path}?done=saved` };
      },
    },
    {
      method: 'POST',
      path: `${itemPath}/status`,
      role: 'write',
      async handle({ visitor: session, params, form }) {
        await ask(session, 'updateEscalation', { params, body: { status: form.get('status') } });
        return { location: `${path}?done=saved` };
      },
    },
    {
      method: 'POST',
      path: `${itemPath}/delete`,
      role: 'write',
      async handle({ visitor: session, params }) {
        await ask(session, 'deleteEscalation', { params });
        return { location: `${path}?done=deleted` };
      },
    },
  ];
}
