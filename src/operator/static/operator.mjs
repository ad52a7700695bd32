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

showAges(document);
setInterval(showAges, 15_000, document);
