/** Additions to plain HTML: times of the reader, and a page that stays up to date. */
import './live.mjs';
import { adoptZone, showTimes } from './times.mjs';

/** Escape closes an open question. */
addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  for (const open of document.querySelectorAll('details[open]')) {
    open.open = false;
    open.querySelector('summary').focus();
  }
});

/** On a phone, the entries of the navigation are wider than the screen. */
function showCurrentSection() {
  const nav = document.querySelector('.top nav');
  const current = nav?.querySelector('[aria-current]');
  if (current)
    nav.scrollLeft = current.offsetLeft - nav.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2;
}

showCurrentSection();
adoptZone();
setInterval(showTimes, 15_000);
