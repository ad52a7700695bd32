/** Ways to move a span of time: keys, the wheel, and fingers. Spans are in seconds. */

const SPAN_MIN_S = 60;
const SPAN_MAX_S = 400 * 86_400;
/** Part of the span by which a key moves it. */
const STEP = 0.25;
const FACTOR = 2;
/** Fingers tremble. */
const TREMOR_PX = 8;

/** Keeps the time `at` in its place. */
export const zoomed = ({ from, to }, factor, at = (from + to) / 2) => ({
  from: at - (at - from) * factor,
  to: at + (to - at) * factor,
});

export const moved = ({ from, to }, seconds) => ({ from: from + seconds, to: to + seconds });

/** Neither too short nor too long, and not after now. */
export function limited(span, nowS) {
  const lengthS = span.to - span.from;
  const allowedS = Math.min(Math.max(lengthS, SPAN_MIN_S), SPAN_MAX_S);
  const sized = lengthS === allowedS ? span : zoomed(span, allowedS / lengthS);
  return moved(sized, Math.min(0, nowS - sized.to));
}

/** The span in which both points are again where the fingers are; `points` are [seconds, share of the width]. */
export function pinched([[atA, shareA], [atB, shareB]]) {
  const perShare = (atB - atA) / (shareB - shareA);
  const from = atA - shareA * perShare;
  return { from, to: from + perShare };
}

/** The action of a key; undefined: none. */
export function actionOf({ key, shiftKey, ctrlKey, metaKey, altKey }, span) {
  if (ctrlKey || metaKey || altKey) return undefined;
  const stepS = (span.to - span.from) * STEP;
  if (key === '+' || key === '=') return { zoom: zoomed(span, 1 / FACTOR) };
  if (key === '-' || key === '_') return { zoom: zoomed(span, FACTOR) };
  if (key === 'ArrowLeft') return shiftKey ? { read: -1 } : { move: moved(span, -stepS) };
  if (key === 'ArrowRight') return shiftKey ? { read: 1 } : { move: moved(span, stepS) };
  if (key === 'Escape') return { back: 1 };
  return key === '0' ? { back: Number.POSITIVE_INFINITY } : undefined;
}

/**
 * Follows fingers and the wheel with Ctrl over a picture: one finger moves it, two zoom it. `preview` shows a span while
 * fingers move, and `end` is given the last one; null when the gesture came to nothing, `isSmall` for one of many steps.
 */
export function followTouch(over, { spanNow, preview, end }) {
  /** By pointer: where it began in seconds, and where it is. */
  const fingers = new Map();
  let span = null;
  const shareOf = ({ clientX }) => {
    const { left, width } = over.getBoundingClientRect();
    return (clientX - left) / width;
  };
  const timeAt = ({ from, to }, share) => from + share * (to - from);

  function begin() {
    const current = span ?? spanNow();
    for (const finger of fingers.values()) finger.at = timeAt(current, finger.share);
  }

  function follow() {
    const [first, second] = fingers.values();
    const current = span ?? spanNow();
    if (!second) return moved(current, first.at - timeAt(current, first.share));
    // Fingers that meet or cross say no length.
    const isSpread = (second.share - first.share) * Math.sign(second.at - first.at) > 0.02;
    if (!isSpread) return current;
    return pinched([
      [first.at, first.share],
      [second.at, second.share],
    ]);
  }

  function lift(event) {
    if (!fingers.delete(event.pointerId)) return;
    begin();
    if (fingers.size > 0) return;
    end(event.type === 'pointercancel' ? null : span);
    span = null;
  }

  over.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch' || fingers.size === 2) return;
    fingers.set(event.pointerId, { share: shareOf(event), startX: event.clientX });
    begin();
  });
  over.addEventListener('pointermove', (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    if (span === null && Math.abs(event.clientX - finger.startX) < TREMOR_PX) return;
    finger.share = shareOf(event);
    span = follow();
    preview(span);
  });
  over.addEventListener('pointerup', lift);
  over.addEventListener('pointercancel', lift);
  over.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const factor = Math.min(Math.max(Math.exp(event.deltaY / 100), 1 / FACTOR), FACTOR);
      const current = spanNow();
      end(zoomed(current, factor, timeAt(current, shareOf(event))), { isSmall: true });
    },
    { passive: false },
  );
}
