/** The page of the link that confirms an e-mail address: opening it changes nothing, its button confirms. */
import type { OpenPageRoute } from '../http/page-route.ts';
import type { MailAddress } from '../notifications/mail-addresses.repository.ts';
import { CONFIRM_PATH } from '../notifications/message.ts';
import type { KeyedSemaphore } from '../process/keyed-semaphore.ts';
import { confirmAddressHtml, confirmedHtml, deadLinkHtml } from './confirm-address-html.ts';
import type { Html } from './html.ts';
import type { Layout } from './layout.ts';
import type { Session } from './session.ts';

type Address = Omit<MailAddress, 'linkExpiresAt'>;

export interface ConfirmAddressDeps {
  layout: Layout;
  confirmations: {
    find(token: string): Promise<Address | null>;
    confirm(token: string): Promise<Address | null>;
  };
  /** Shared with links that sign in. */
  lookUps: KeyedSemaphore;
  /** @throws when this address has sent too many wrong links. */
  countFailure(address: string): void;
}

export function confirmAddressRoutes(deps: ConfirmAddressDeps): Array<OpenPageRoute<Session>> {
  const { layout, confirmations, lookUps, countFailure } = deps;
  const page = (content: Html) => layout({ title: 'Confirm an address', session: null }, content);
  async function answer(found: Address | null, client: string, shown: (address: Address) => Html) {
    if (found) return { page: page(shown(found)) };
    countFailure(client);
    return { page: page(deadLinkHtml), status: 404 };
  }
  return [
    {
      method: 'GET',
      path: CONFIRM_PATH,
      role: null,
      holdsSecret: true,
      async handle({ query, address: client }) {
        const token = query.get('token') ?? '';
        const found = await lookUps.run(client, () => confirmations.find(token));
        return answer(found, client, (address) =>
          address.confirmedAt
            ? confirmedHtml(address, address.confirmedAt)
            : confirmAddressHtml(token, address),
        );
      },
    },
    {
      method: 'POST',
      path: CONFIRM_PATH,
      role: null,
      holdsSecret: true,
      async handle({ form, address: client }) {
        const confirmed = await lookUps.run(client, () => confirmations.confirm(form.get('token') ?? ''));
        return answer(confirmed, client, (address) => confirmedHtml(address));
      },
    },
  ];
}
