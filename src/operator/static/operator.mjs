/** Additions to plain HTML: times of the reader, and a page that stays up to date. */
import './live.mjs';
import { adoptZone, showTimes } from './times.mjs';

/** Escape closes the open part with the focus, otherwise open questions. A row that was added stays open. */
addEventListener('keydown', ({ key, defaultPrevented }) => {
  if (key !== 'Escape' || defaultPrevented) return;
  const own = document.activeElement.closest('details[open]:not(.more)');
  for (const open of own ? [own] : document.querySelectorAll('details.confirm[open]')) {
    open.open = false;
    open.querySelector('summary').focus();
  }
});

/** Ticks each box of the form, or none when all are ticked. */
addEventListener('click', ({ target }) => {
  if (!target.matches('.tick-all')) return;
  const boxes = [...target.form.elements].filter(({ type }) => type === 'checkbox');
  const areAll = boxes.every(({ checked }) => checked);
  for (const box of boxes) box.checked = !areAll;
});

/** The button that adds a row gives its place and the focus to the row. */
addEventListener('click', (event) => {
  const added = event.target.closest('details.more:not([open]) > summary')?.parentElement;
  if (!added) return;
  event.preventDefault();
  added.open = true;
  added.querySelector('input, select').focus();
});

/** Longer than an answer takes. Then a form whose answer never came can be sent once more. */
const PRESSED_TWICE_MS = 10_000;
let sentAt = new WeakMap();

/** A button that is pressed twice sends its form once. */
addEventListener('submit', (event) => {
  const { target, timeStamp } = event;
  if (target.method !== 'post' || event.defaultPrevented) return;
  const isRepeated = timeStamp - (sentAt.get(target) ?? -Infinity) < PRESSED_TWICE_MS;
  if (isRepeated) event.preventDefault();
  else sentAt.set(target, timeStamp);
});

/** Going back to a page that the browser has kept, its forms are sent once more. */
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) sentAt = new WeakMap();
});

/** A form is carried out in the organization of its page alone, also after a sign-in to another one in another tab. */
addEventListener('formdata', ({ target, formData }) => {
  const { drawnFor } = document.body.dataset;
  if (drawnFor && target.method === 'post') formData.set('drawnFor', drawnFor);
});

/** Pages without TLS have no clipboard: there the browser copies the selection. */
async function copy(field) {
  field.select();
  if (!navigator.clipboard) return document.execCommand('copy');
  await navigator.clipboard.writeText(field.value);
  return true;
}

/** Says beside the button whether the field above it was copied. */
addEventListener('click', async ({ target }) => {
  if (!target.matches('.copy')) return;
  const field = target.closest('.field').querySelector('textarea');
  const isCopied = await copy(field).catch(() => false);
  target.nextElementSibling.textContent = isCopied ? 'Copied' : 'Not copied: the text is selected';
});

/** On a phone, the entries of the navigation are wider than the screen. */
function showCurrentSection() {
  const nav = document.querySelector('.top nav');
  const current = nav?.querySelector('[aria-current]');
  if (current)
    nav.scrollLeft = current.offsetLeft - nav.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2;
}

/**
 * The outcome of a form is said once: a page that is loaded again does not repeat it. Going back to the answer to a
 * form opens its address, where the browser would ask whether to send the form again.
 */
function settleAddress() {
  // Loaded again after a sign-in or a while, an answer that asks for that sends its form.
  if (!document.querySelector('.who') || document.querySelector('.error')) return;
  const url = new URL(location.href);
  if (url.searchParams.has('done')) url.searchParams.delete('done');
  history.replaceState(history.state, '', url);
}

settleAddress();
showCurrentSection();
for (const button of document.querySelectorAll('.copy')) button.hidden = false;
adoptZone();
setInterval(showTimes, 15_000);
