/** Configurations for people: one line per setting, and a comparison of two. */
import { definitionsOf } from '../alerts/alert-definition.ts';
import { calendarsText } from '../devices/calendars-text.ts';
import type { DeviceConfiguration } from '../devices/configuration.ts';
import { type Content, type Html, html } from './html.ts';

type Lines = Record<string, string>;

/** Only the settings that the configuration contains. */
export function toLines(config: DeviceConfiguration): Lines {
  const { measurementPeriodBase: base, measurementPeriodFactor: factor, transmissionInterval } = config;
  const lines: Lines = {};
  if (base !== undefined && factor !== undefined) lines['Measures every'] = duration(base * factor);
  else if (base !== undefined) lines['Measurement base'] = duration(base);
  else if (factor !== undefined) lines['Measurement factor'] = String(factor);
  if (transmissionInterval !== undefined) lines['Transmits every'] = duration(transmissionInterval);
  if (config.alarmRules !== undefined) lines.Alerts = alertsOf(config);
  if (config.calendars !== undefined) lines['Alerts are on'] = calendarsText(config.calendars);
  return lines;
}

function alertsOf(config: DeviceConfiguration): string {
  const texts = definitionsOf(config).map(
    ({ channel, bounds }) => `channel ${channel}: ${boundsText(bounds)}, hysteresis ${bounds.hysteresisC} °C`,
  );
  return texts.join('; ') || 'none';
}

export function boundsText({ lowC, highC }: { lowC: number | null; highC: number | null }): string {
  if (lowC !== null && highC !== null) return `${lowC} to ${highC} °C`;
  return highC === null ? `at least ${lowC} °C` : `at most ${highC} °C`;
}

export function duration(seconds: number): string {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

export const changeHtml = (config: DeviceConfiguration): Html =>
  html`<dl class="facts">${Object.entries(toLines(config)).map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;

/** The running configuration beside the pending one; differences are marked, also without colour. */
export function comparison(now: DeviceConfiguration | null, pending: DeviceConfiguration | null): Content {
  if (!now && !pending)
    return html`<p class="empty">The device has not reported what it runs, and nothing waits for it.</p>`;
  const runs = now ? toLines(now) : {};
  const waits = pending ? toLines(pending) : {};
  const names = [...new Set([...Object.keys(runs), ...Object.keys(waits)])];
  return html`<div class="scroll" role="region" aria-label="Configuration" tabindex="0"><table class="comparison">
<caption class="hidden">The configuration now and the pending change</caption>
<thead><tr><th scope="col">Setting</th><th scope="col">Now</th><th scope="col">Pending</th></tr></thead>
<tbody>${names.map((name) => comparisonRow(name, runs[name], waits[name]))}</tbody></table></div>`;
}

function comparisonRow(name: string, runs: string | undefined, waits: string | undefined): Html {
  const differs = waits !== undefined && waits !== runs;
  const shown =
    waits === undefined
      ? html`<span class="quiet">as now</span>`
      : differs
        ? html`<mark>${waits}</mark>`
        : waits;
  return html`<tr><th scope="row">${name}</th><td>${runs ?? html`<span class="quiet">not reported</span>`}</td><td>${shown}</td></tr>`;
}
