/** The form of an escalation: rows of steps, and what its fields become. Its groups are kept as they are. */
import { ALERT_TYPES, type AlertType } from '../alerts/alert.ts';
import { SEVERITIES, type Severity } from '../devices/alert-terms.ts';
import { STEPS_MAX } from '../escalations/escalation-policy.ts';
import type { ChannelView, EscalationView } from './answers.ts';
import { type Html, html } from './html.ts';
import { toWords } from './parts.ts';

/** Empty rows for steps to be added. */
const MORE_STEPS = 2;
const NEW: Pick<EscalationView, 'name' | 'alertTypes' | 'severities' | 'steps' | 'repeatMinutes'> = {
  name: '',
  alertTypes: [...ALERT_TYPES],
  severities: [...SEVERITIES],
  steps: [],
  repeatMinutes: null,
};

export interface EscalationFields {
  name: string;
  alertTypes: string[];
  severities: string[];
  steps: Array<{ afterMinutes: number | null; channelIds: string[] }>;
  repeatMinutes: number | null;
}

/** What the operation says about the fields is shown as it is. A row without a channel is no step. */
export function readEscalationForm(form: URLSearchParams): EscalationFields {
  const rows = Array.from({ length: STEPS_MAX }, (_, index) => ({
    afterMinutes: toNumber(form.get(`afterMinutes-${index}`)),
    channelIds: form.getAll(`channelIds-${index}`),
  }));
  return {
    name: form.get('name') ?? '',
    alertTypes: form.getAll('alertTypes'),
    severities: form.getAll('severities'),
    steps: rows.filter(({ channelIds }) => channelIds.length > 0),
    repeatMinutes: toNumber(form.get('repeatMinutes')),
  };
}

const toNumber = (text: string | null): number | null =>
  text === null || text.trim() === '' ? null : Number(text);

export function escalationForm(
  action: string,
  channels: readonly ChannelView[],
  escalation: Pick<EscalationView, keyof typeof NEW> = NEW,
): Html {
  const { name, alertTypes, severities, steps, repeatMinutes } = escalation;
  const rows = Math.min(STEPS_MAX, steps.length + MORE_STEPS);
  return html`<form method="post" action="${action}" class="stacked">
<label>Name <input name="name" required maxlength="128" value="${name}"></label>
<fieldset><legend>Alerts</legend>${ALERT_TYPES.map((type: AlertType) => check('alertTypes', type, alertTypes.includes(type)))}</fieldset>
<fieldset><legend>Severities</legend>${SEVERITIES.map((severity: Severity) => check('severities', severity, severities.includes(severity)))}</fieldset>
${Array.from({ length: rows }, (_, index) => stepRow(index, steps[index], channels))}
<label>Repeat the last step after minutes <input name="repeatMinutes" type="number" min="5" max="1440" value="${repeatMinutes}"></label>
<button class="main">Save</button></form>`;
}

const check = (name: string, value: string, isChecked: boolean): Html =>
  html`<label><input type="checkbox" name="${name}" value="${value}"${isChecked && html` checked`}> ${toWords(value)}</label>`;

const stepRow = (
  index: number,
  step: EscalationView['steps'][number] | undefined,
  channels: readonly ChannelView[],
): Html => html`<fieldset><legend>Step ${index + 1}</legend>
<label>After minutes <input name="afterMinutes-${index}" type="number" min="0" value="${step?.afterMinutes}"></label>
<label>Channels <select name="channelIds-${index}" multiple>${channels.map(
  ({ id, type, target }) =>
    html`<option value="${id}"${step?.channelIds.includes(id) && html` selected`}>${type} ${target}</option>`,
)}</select></label></fieldset>`;
