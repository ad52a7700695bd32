/** Keeps a page up to date while it is open, and says when it cannot. */

import { morph } from './morph.mjs';
import { showTimes } from './times.mjs';

/** The service sends something every few seconds. */
const LOST_MS = 15_000;
/** A page that has just come needs no look at once, which would cost the service as much as the page did. */
const FRESH_MS = 3_000;
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 10_000;
const BACK_SHOWN_MS = 5_000;

const { watch: page, fingerprint, drawnFor } = document.body.dataset;
const state = document.querySelector('#connection');
let seen = fingerprint;
let stream = null;
let retryMs = RETRY_MS;
let retryTimer;
let lostTimer;
let backTimer;

function announce(text, isLost) {
  state.textContent = text;
  state.classList.toggle('lost', isLost);
}

/** Boxes of rows: each names its form. */
const countTicked = () => document.querySelectorAll('[data-live] input[form]:checked').length;

function apply({ fingerprint: drawn, html }) {
  const ticked = countTicked();
  const fresh = new DOMParser().parseFromString(html, 'text/html');
  showTimes(fresh);
  for (const part of document.querySelectorAll('[data-live]')) {
    const other = fresh.querySelector(`[data-live="${CSS.escape(part.dataset.live)}"]`);
    if (!other) continue;
    morph(part, other);
    part.dispatchEvent(new Event('refreshed'));
  }
  seen = drawn;
  announceGone(ticked - countTicked());
}

/** A row that leaves the page takes its tick along. */
function announceGone(count) {
  if (count <= 0) return;
  clearTimeout(backTimer);
  const rows = count === 1 ? 'ticked row is' : 'ticked rows are';
  announce(`${count} ${rows} gone from this page, and no longer chosen.`, false);
}

function onEvent() {
  retryMs = RETRY_MS;
  restartWatchdog();
  if (!state.classList.contains('lost')) return;
  announce('Connected again: the page is up to date.', false);
  backTimer = setTimeout(announce, BACK_SHOWN_MS, '', false);
}

function restartWatchdog() {
  clearTimeout(lostTimer);
  lostTimer = setTimeout(lose, LOST_MS);
}

function lose() {
  clearTimeout(backTimer);
  announce('The connection is lost. This page shows how things were, and tries again.', true);
  restartWatchdog();
  // Without a stream, the next attempt is planned already.
  if (stream) reconnect();
}

/** Browsers that lost the same process come back one after the other. */
function reconnect() {
  stream.close();
  stream = null;
  retryTimer = setTimeout(connect, retryMs * (0.5 + Math.random()));
  retryMs = Math.min(2 * retryMs, RETRY_MS_MAX);
}

async function onError() {
  const isRefused = stream.readyState === EventSource.CLOSED;
  reconnect();
  const ended = isRefused && ENDED[await statusOfSession()];
  if (!ended) return;
  stop();
  announce(`${ended} This page shows how things were.`, true);
}

const ENDED = {
  401: 'You are signed out.',
  409: 'You are signed in to another organization now.',
};

const statusOfSession = () =>
  fetch(`/operator/changes?${new URLSearchParams({ drawnFor })}`, { method: 'HEAD' }).then(
    ({ status }) => status,
    () => null,
  );

/** Only while the page is seen: over HTTP/1.1, a browser gives all tabs of a host six connections together. */
function connect() {
  clearTimeout(retryTimer);
  if (document.hidden) return;
  stream?.close();
  stream = new EventSource(`/operator/changes?${new URLSearchParams({ page, fingerprint: seen, drawnFor })}`);
  stream.addEventListener('changed', ({ data }) => {
    apply(JSON.parse(data));
    onEvent();
  });
  stream.addEventListener('unchanged', onEvent);
  stream.addEventListener('error', () => void onError());
}

function stop() {
  clearTimeout(lostTimer);
  clearTimeout(retryTimer);
  stream?.close();
  stream = null;
}

/** The first event after it was hidden brings what has changed meanwhile. */
function followVisibility() {
  if (document.hidden) return stop();
  restartWatchdog();
  connect();
}

if (page) {
  if (!document.hidden) restartWatchdog();
  retryTimer = setTimeout(connect, FRESH_MS);
  // Leaving a page hides it, and going back to a page that the browser has kept shows it.
  document.addEventListener('visibilitychange', followVisibility);
  addEventListener('offline', lose);
  addEventListener('online', connect);
}
