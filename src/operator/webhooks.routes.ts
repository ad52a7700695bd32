import { orNotFound } from '../process/errors.ts';
import type { DeliveryDetailView, WebhookView } from './answers.ts';
import { deliveryHtml } from './delivery-html.ts';
import { type FormPageDeps, given, leadBack, type OperatorPage, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import type { ShownAssetsRepository } from './shown-assets.repository.ts';
import type { ShownWebhooksRepository } from './shown-webhooks.repository.ts';
import { testedText } from './tested-text.ts';
import { firstHour } from './webhook-hours.ts';
import { webhookHtml, webhooksHtml } from './webhooks-html.ts';

const path = `${OPERATOR_PATH}/webhooks`;
const section = 'Webhooks';
const onePath = `${path}/{collection}/{webhookId}`;
const deliveryPath = `${onePath}/deliveries/{deliveryId}`;

type Params = Record<string, string>;
type Noun = 'Webhook' | 'CellularWebhook';

/** Names in operations of a collection, by its name in paths of pages. */
const NOUNS: Record<string, Noun> = { events: 'Webhook', cellular: 'CellularWebhook' };

export interface WebhooksPageDeps extends PageDeps, Pick<FormPageDeps, 'fieldsOf'> {
  shownAssets: ShownAssetsRepository;
  shownWebhooks: ShownWebhooksRepository;
}

const FAILURES_SHOWN = 3;

export function webhooksRoutes(deps: WebhooksPageDeps): OperatorPage[] {
  const { ask, fieldsOf, layout, showPage, linksFor, now, shownAssets, shownWebhooks } = deps;

  const typesIn = (noun: Noun): readonly string[] =>
    fieldsOf(`list${noun}Deliveries`, 'query').find(({ name }) => name === 'eventType')?.options ?? [];

  async function readWebhook(session: Session, params: Params, query: URLSearchParams) {
    const noun = toNoun(params);
    const filter = given({
      state: query.get('state'),
      eventType: query.get('eventType'),
      cursor: query.get('cursor'),
    });
    const webhook = await ask(session, `get${noun}`, { params: idOf(params) });
    const deliveries = await ask(session, `list${noun}Deliveries`, {
      params: idOf(params),
      query: { ...filter, limit: '25' },
    });
    const at = now();
    const [isSigned, hours, failures] = await Promise.all([
      shownWebhooks.isSigned(session.organizationId, webhook.id),
      shownWebhooks.listHours(session.organizationId, webhook.id, firstHour(at)),
      Object.keys(filter).length === 0 ? listFailures(session, params) : [],
    ]);
    const serials = deliveries.items.flatMap(({ serialNumber }) => serialNumber ?? []);
    const content = webhookHtml({
      devices: await shownAssets.listBySerials(session.organizationId, serials),
      webhook,
      isSigned,
      deliveries,
      failures,
      eventTypes: typesIn(noun),
      hours,
      filter,
      path: pathOf(params),
      link: linksFor(session),
      mayChange: session.role !== 'read',
      now: at,
    });
    return { title: nameOf(webhook), content };
  }

  /** The newest deliveries that failed for good or wait for a retry, with payload and answer. */
  async function listFailures(session: Session, params: Params): Promise<DeliveryDetailView[]> {
    const noun = toNoun(params);
    const lists = await Promise.all(
      ['failed', 'retrying'].map((state) =>
        ask(session, `list${noun}Deliveries`, {
          params: idOf(params),
          query: { state, limit: String(FAILURES_SHOWN) },
        }),
      ),
    );
    const newest = lists
      .flatMap(({ items }) => items)
      .filter(({ lastError }) => lastError !== null)
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, FAILURES_SHOWN);
    return Promise.all(
      newest.map(({ id: deliveryId }) =>
        ask(session, `get${noun}Delivery`, { params: { ...idOf(params), deliveryId } }),
      ),
    );
  }

  return [
    showPage({ path, section, isLive: true }, async (session) => {
      const [events, cellular] = await Promise.all([
        ask(session, 'listWebhooks'),
        ask(session, 'listCellularWebhooks'),
      ]);
      const content = webhooksHtml([...events.items, ...cellular.items], linksFor(session));
      return { title: 'Webhooks', content };
    }),
    showPage({ path: onePath, section, isLive: true }, (session, { params, query }) =>
      readWebhook(session, params, query),
    ),
    leadBack(`${onePath}/test`, ({ params }) => pathOf(params)),
    {
      method: 'POST',
      path: `${onePath}/test`,
      role: 'write',
      async handle({ visitor: session, params, query }) {
        const tested = await ask(session, `test${toNoun(params)}`, { params: idOf(params) });
        const { title, content } = await readWebhook(session, params, query);
        return { page: layout({ title, session, section, notice: testedText(tested) }, content) };
      },
    },
    showPage({ path: deliveryPath, section, isLive: true }, async (session, { params }) => {
      const noun = toNoun(params);
      const [webhook, delivery] = await Promise.all([
        ask(session, `get${noun}`, { params: { webhookId: params.webhookId ?? '' } }),
        ask(session, `get${noun}Delivery`, { params: idOf(params) }),
      ]);
      const mayChange = session.role !== 'read';
      const content = deliveryHtml({ webhook, delivery, path: pathOf(params), mayChange, now: now() });
      return { title: delivery.eventType, content };
    }),
  ];
}

function toNoun({ collection = '' }: Params): Noun {
  return orNotFound(
    Object.hasOwn(NOUNS, collection) ? NOUNS[collection] : undefined,
    'There is no page at this address',
  );
}

const idOf = ({ collection, ...ids }: Params): Params => ids;

const pathOf = ({ collection, webhookId }: Params) => `${path}/${collection}/${webhookId}`;

const nameOf = ({ name, url }: WebhookView) => name ?? url;
