/** Alerts that are ticked in a list, and the form that acknowledges them together. */
import type { AlertView } from '../alerts/alert.ts';
import { type Content, html } from './html.ts';
import { toWords } from './parts.ts';
import { OPERATOR_PATH } from './session.ts';

export const ACKNOWLEDGE_PATH = `${OPERATOR_PATH}/acknowledge-alerts`;
const FORM_ID = 'acknowledge-ticked';

/** A box for an alert that can be acknowledged; it names the form, which stands below the list. */
export const tickOf = ({ id, type, status }: AlertView, deviceName: string): Content =>
  status === 'new' &&
  html`<input type="checkbox" name="alertId" value="${id}" form="${FORM_ID}" aria-label="Choose ${toWords(type)} of ${deviceName}">`;

interface PanelOptions {
  /** The page that follows. */
  back: string;
  /** As typed; null: nothing is typed yet. */
  note: string | null;
}

export const acknowledgeTicked = (alerts: readonly AlertView[], { back, note }: PanelOptions): Content =>
  alerts.some(({ status }) => status === 'new') &&
  html`<section class="panel"><h2>Acknowledge the ticked alerts</h2><form method="post" action="${ACKNOWLEDGE_PATH}" class="filter" id="${FORM_ID}">
<input type="hidden" name="return" value="${back}">
<label>Note <input name="comment" maxlength="2000" placeholder="optional"${note && html` value="${note}"`}></label>
<button type="button" class="tick-all">Tick all</button> <button class="main">Acknowledge them</button></form></section>`;
