/** Configurations for people: one line per setting, and a comparison of two. */
import { type Bounds, definitionsOf } from '../alerts/alert-definition.ts';
import type { AlertTerms } from '../devices/alert-terms.ts';
import { calendarsText } from '../devices/calendars-text.ts';
import { type DeviceConfiguration, includes, withoutTerms } from '../devices/configuration.ts';
import { channelText, type Layout } from '../devices/device-capabilities.ts';
import { type Content, type Html, html } from './html.ts';
import { facts } from './parts.ts';

type Lines = Record<string, string>;

interface LineOptions {
  layout?: Layout | undefined;
  /** Whether the rules still have the terms that the service keeps: what a device reports has none. */
  hasTerms?: boolean;
}

/** Only the settings that the configuration contains. */
export function toLines(config: DeviceConfiguration, options: LineOptions = {}): Lines {
  const { measurementPeriodBase: base, measurementPeriodFactor: factor, transmissionInterval } = config;
  const lines: Lines = {};
  if (base !== undefined && factor !== undefined) lines['Measures every'] = duration(base * factor);
  else if (base !== undefined) lines['Measurement base'] = duration(base);
  else if (factor !== undefined) lines['Measurement factor'] = String(factor);
  if (transmissionInterval !== undefined) lines['Transmits every'] = duration(transmissionInterval);
  if (config.alarmRules !== undefined) lines.Alerts = alertsOf(config, options);
  if (config.calendars !== undefined) lines['Alerts are on'] = calendarsText(config.calendars);
  return lines;
}

function alertsOf(config: DeviceConfiguration, { layout, hasTerms = false }: LineOptions): string {
  const texts = definitionsOf(config).map(({ channel, bounds, ...terms }) =>
    alertText(channelText(channel, layout), bounds, hasTerms ? terms : null),
  );
  return texts.join('; ') || 'none';
}

/** Null: the terms of the alert are not known. */
export const alertText = (channel: string, bounds: Bounds, terms: Required<AlertTerms> | null): string =>
  `${channel}: ${boundsText(bounds)}, hysteresis ${bounds.hysteresisC} °C${terms ? termsText(terms) : ''}`;

const termsText = ({ severity, delayMinutes }: Required<AlertTerms>): string =>
  `, ${severity}${delayMinutes > 0 ? `, after ${delayMinutes} min` : ''}`;

export function boundsText({ lowC, highC }: { lowC: number | null; highC: number | null }): string {
  if (lowC !== null && highC !== null) return `${lowC} to ${highC} °C`;
  return highC === null ? `at least ${lowC} °C` : `at most ${highC} °C`;
}

export function duration(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

export const changeHtml = (config: DeviceConfiguration): Html => facts(Object.entries(toLines(config)));

/** A configuration beside the running one. */
interface Compared {
  config: DeviceConfiguration | null;
  /** The configuration that the device confirmed last. */
  confirmed: DeviceConfiguration | null;
  title: string;
  /** Shown for a setting that it does not contain. */
  absent: string;
}

const PENDING = { title: 'Pending', absent: 'as now' };
const CONFIRMED = { title: 'Confirmed', absent: 'not set' };

/** The running configuration beside the pending one; differences are marked, also without colour. */
export const comparison = (
  now: DeviceConfiguration | null,
  { confirmed, pending }: { confirmed: DeviceConfiguration | null; pending: DeviceConfiguration | null },
  layout: Layout | undefined,
): Content => compared(now, { ...PENDING, config: pending, confirmed }, layout);

/** The running configuration of a drifted device beside the one that it confirmed, and who watches meanwhile. */
export function driftHtml(
  now: DeviceConfiguration | null,
  confirmed: DeviceConfiguration,
  layout: Layout | undefined,
): Content {
  const { Alerts: alerts } = toLines(confirmed);
  const isUnwatched = alerts !== undefined && now !== null && toLines(now).Alerts !== alerts;
  return html`<p>The device confirmed the settings on the right, and now runs others.${isUnwatched && html` <strong>It does not watch the confirmed bounds itself</strong>: the service still compares each reading with them, but the device does not send early when they are crossed.`}</p>${compared(now, { ...CONFIRMED, config: confirmed, confirmed }, layout)}`;
}

function compared(
  now: DeviceConfiguration | null,
  { config, confirmed, title, absent }: Compared,
  layout: Layout | undefined,
): Content {
  if (!now && !config)
    return html`<p class="empty">The device has not reported what it runs, and nothing waits for it.</p>`;
  const runs = now ? runningLines(now, confirmed, layout) : {};
  const others = config ? toLines(config, { layout, hasTerms: true }) : {};
  const names = [...new Set([...Object.keys(runs), ...Object.keys(others)])];
  return html`<div class="scroll" role="region" aria-label="Configuration" tabindex="0"><table class="comparison">
<caption class="hidden">The configuration now, and the ${title.toLowerCase()} one</caption>
<thead><tr><th scope="col">Setting</th><th scope="col">Now</th><th scope="col">${title}</th></tr></thead>
<tbody>${names.map((name) => comparisonRow(name, runs[name], others[name] ?? null, absent))}</tbody></table></div>`;
}

/** Rules that the device runs as it has confirmed them have the terms of those. */
function runningLines(
  now: DeviceConfiguration,
  confirmed: DeviceConfiguration | null,
  layout: Layout | undefined,
): Lines {
  const { alarmRules } = confirmed ?? {};
  return alarmRules && includes(now, withoutTerms({ alarmRules }))
    ? toLines({ ...now, alarmRules }, { layout, hasTerms: true })
    : toLines(now, { layout });
}

function comparisonRow(name: string, runs: string | undefined, other: string | null, absent: string): Html {
  const differs = other !== null && other !== runs;
  const shown =
    other === null
      ? html`<span class="quiet">${absent}</span>`
      : differs
        ? html`<mark>${other}</mark>`
        : other;
  return html`<tr><th scope="row">${name}</th><td>${runs ?? html`<span class="quiet">not reported</span>`}</td><td>${shown}</td></tr>`;
}
