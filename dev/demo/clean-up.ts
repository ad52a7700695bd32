/**
 * Archives devices that demos and simulations have registered: they no longer transmit, and would raise
 * alarms.
 */
import type { ServiceClient } from '../simulator/service-client.ts';
import type { Asset } from './demo-api.ts';

/** Names given by the demo and the simulator; a renamed device is kept. */
const NAMES = [/^Demo fridge [0-9A-F]{2}$/, /^Simulated [0-9A-F]{12}$/];
const SEARCHED = ['Demo fridge', 'Simulated'];
const PAGE = 500;

/** Returns the number of archived devices. */
export async function cleanUp(client: ServiceClient): Promise<number> {
  const found = (await Promise.all(SEARCHED.map((text) => search(client, text)))).flat();
  const ours = found.filter(({ name }) => NAMES.some((each) => each.test(name)));
  for (const { id } of ours) await client.send('DELETE', `/assets/${id}`);
  return ours.length;
}

type Named = Asset & { name: string };

async function search(client: ServiceClient, text: string): Promise<Named[]> {
  const found: Named[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/assets?q=${encodeURIComponent(text)}&limit=${PAGE}${cursor && `&cursor=${cursor}`}`;
    const { body } = await client.send('GET', path);
    const page = body as { items: Named[]; nextCursor: string | null };
    found.push(...page.items);
    cursor = page.nextCursor;
  }
  return found;
}
