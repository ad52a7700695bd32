/** The alerts and the schedule of a profile in words. */
import type { ProfileView } from './answers.ts';
import { alertText } from './configuration-html.ts';
import { type Content, html } from './html.ts';
import { toWords } from './parts.ts';

export const alertsHtml = (alerts: ProfileView['temperatureAlerts']): Content =>
  alerts.map(
    ({
      channel,
      lowC = null,
      highC = null,
      hysteresisC = 0,
      delayMinutes = 0,
      severity = 'critical',
      ...sends
    }) =>
      html`<div>${alertText(channel, { lowC, highC, hysteresisC }, { severity, delayMinutes })}${sendsText(sends)}</div>`,
  );

/** Loggers send at once on both, unless the profile says otherwise. */
function sendsText({
  transmitOnBreach = true,
  transmitOnReturn = true,
}: Pick<ProfileView['temperatureAlerts'][number], 'transmitOnBreach' | 'transmitOnReturn'>): string {
  if (transmitOnBreach && transmitOnReturn) return '';
  if (transmitOnBreach) return ', sent at once on a breach alone';
  return transmitOnReturn ? ', sent at once on a return alone' : ', sent with the next transmission';
}

export function scheduleText(schedule: ProfileView['schedule']): string {
  if (schedule.always) return 'always';
  const { days = [], from, to, timezone } = schedule;
  return `${days.map((day) => toWords(day).slice(0, 3)).join(' ')} ${from}–${to} (${timezone})`;
}
