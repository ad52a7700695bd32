/**
 * The page of the link in a mail about an alert, without a session: opening it changes nothing, because mail
 * programs open links as well; its button acknowledges. The link permits nothing else.
 */
import type { CallOperation } from '../http/operations.ts';
import type { OpenPageRoute } from '../http/page-route.ts';
import { ALERT_LINK_PATH } from '../notifications/alert-link.ts';
import type { WorkingLink } from '../notifications/alert-links.service.ts';
import { AppError } from '../process/errors.ts';
import type { KeyedSemaphore } from '../process/keyed-semaphore.ts';
import { alertLinkHtml, deadAlertLinkHtml } from './alert-link-html.ts';
import { findNextRecipients } from './alert-recipients.ts';
import type { PageDeps } from './page-deps.ts';
import { type Session, toCaller } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';

export interface AlertLinkDeps extends Pick<PageDeps, 'ask' | 'layout'> {
  call: CallOperation;
  find(token: string): Promise<WorkingLink | null>;
  findOrganizationName(organizationId: string): Promise<string | null>;
  shownAssets: Pick<ShownAssetsRepository, 'listNames'>;
  /** Shared with links that sign in. */
  lookUps: KeyedSemaphore;
  /** @throws when this address has sent too many wrong links. */
  countFailure(address: string): void;
  /** @throws when the link is used too often. */
  admit(session: Session): void;
}

export function alertLinkRoutes(deps: AlertLinkDeps): Array<OpenPageRoute<Session>> {
  const { ask, layout, shownAssets } = deps;

  async function open(token: string, client: string): Promise<Opened | null> {
    const link = await deps.lookUps.run(client, () => deps.find(token));
    if (!link) {
      deps.countFailure(client);
      return null;
    }
    const organizationName = (await deps.findOrganizationName(link.organizationId)) ?? '';
    const session = toSession(link, organizationName);
    deps.admit(session);
    return { link, session };
  }

  async function pageOf(token: string, { link, session }: Opened): Promise<string> {
    const alert = await ask(session, 'getAlert', { params: { alertId: link.alertId } });
    const [next, names] = await Promise.all([
      findNextRecipients(ask, session, alert),
      shownAssets.listNames(session.organizationId, [alert.assetId]),
    ]);
    const assetName = names.get(alert.assetId) ?? alert.serialNumber;
    const { organizationName } = session;
    const content = alertLinkHtml(alert, {
      token,
      assetName,
      organizationName,
      next,
      address: link.address,
    });
    return layout({ title: assetName, session: null }, content);
  }

  async function acknowledge({ link, session }: Opened): Promise<void> {
    const params = { alertId: link.alertId };
    const { status } = await ask(session, 'getAlert', { params });
    if (status !== 'new') return;
    const body = { status: 'acknowledged' };
    await deps.call(toCaller(session), 'acknowledgeAlert', { params, body }).catch(ignoreResolved);
  }

  const dead = () => ({
    page: layout({ title: 'A link that does not work', session: null }, deadAlertLinkHtml),
    status: 404,
  });

  return [
    {
      method: 'GET',
      path: ALERT_LINK_PATH,
      role: null,
      holdsSecret: true,
      async handle({ query, address: client }) {
        const token = query.get('token') ?? '';
        const opened = await open(token, client);
        return opened ? { page: await pageOf(token, opened) } : dead();
      },
    },
    {
      method: 'POST',
      path: ALERT_LINK_PATH,
      role: null,
      holdsSecret: true,
      async handle({ form, address: client }) {
        const token = form.get('token') ?? '';
        const opened = await open(token, client);
        if (!opened) return dead();
        await acknowledge(opened);
        return { location: `${ALERT_LINK_PATH}?token=${token}` };
      },
    },
  ];
}

interface Opened {
  link: WorkingLink;
  session: Session;
}

/** The recipient of the mail, who signs in nowhere; the audit trail shows this name. */
const toSession = (
  { organizationId, channelId, address }: WorkingLink,
  organizationName: string,
): Session => ({
  organizationId,
  id: channelId,
  organizationName,
  name: `${address} (link in an e-mail)`,
  role: 'write',
  keyId: null,
});

/** The alert may end while its page is open, which then shows that. */
function ignoreResolved(error: unknown): void {
  if (!(error instanceof AppError && error.kind === 'conflict')) throw error;
}
