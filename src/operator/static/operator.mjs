/** Additions to plain HTML: ages instead of times, and a page that stays up to date. */
import { showAges } from './ages.mjs';
import './live.mjs';

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
showAges(document);
setInterval(showAges, 15_000, document);
