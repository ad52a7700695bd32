/** Acknowledging several alerts by one form: each by the operation of the API, with the note as its comment. */
import { AppError, invalid } from '../process/errors.ts';
import { given, type OperatorPage, OWN_PATH, type PageDeps } from './page-deps.ts';
import { OPERATOR_PATH, type Session } from './session.ts';
import { ACKNOWLEDGE_PATH } from './ticked-alerts-html.ts';

/** As many as a page lists. */
const TICKED_MAX = 100;

const LIST_PATH = `${OPERATOR_PATH}/alerts`;

interface TickedAlertsDeps extends Pick<PageDeps, 'ask'> {
  /** Draws the page at the address, with what was typed on it. */
  draw(session: Session, url: string, form: URLSearchParams): Promise<string>;
}

export const tickedAlertsRoutes = ({ ask, draw }: TickedAlertsDeps): OperatorPage[] => [
  {
    // The list stands at this address where none was ticked.
    method: 'GET',
    path: ACKNOWLEDGE_PATH,
    role: 'read',
    handle: async () => ({ location: LIST_PATH }),
  },
  {
    method: 'POST',
    path: ACKNOWLEDGE_PATH,
    role: 'write',
    async handle({ visitor: session, form }) {
      const alertIds = [...new Set(form.getAll('alertId'))];
      const back = form.get('return') ?? '';
      const path = OWN_PATH.test(back) ? back : LIST_PATH;
      const toNext = (done: string) => `${path}${path.includes('?') ? '&' : '?'}done=${done}`;
      if (alertIds.length === 0) return { page: await draw(session, toNext('tickFirst'), form), status: 400 };
      if (alertIds.length > TICKED_MAX) throw invalid(`Tick at most ${TICKED_MAX} alerts`);
      const body = { status: 'acknowledged', ...given({ comment: form.get('comment')?.trim() }) };
      // An alert that cannot be found is refused before another one is acknowledged.
      for (const alertId of alertIds) await ask(session, 'getAlert', { params: { alertId } });
      for (const alertId of alertIds) {
        await ask(session, 'acknowledgeAlert', { params: { alertId }, body }).catch(passEnded);
      }
      return { location: toNext('acknowledgeTicked') };
    },
  },
];

/** An alert that has ended meanwhile needs no acknowledgement. */
function passEnded(error: unknown): void {
  if (!(error instanceof AppError && error.kind === 'conflict')) throw error;
}
