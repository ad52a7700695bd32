/** The curves of a device, and of others beside it. The address says which span is seen. */
import { createAddress, followAddress } from './curve-address.mjs';
import { drawChart, isNumber, resize, toCharts } from './curve-chart.mjs';
import { actionOf, followTouch, limited } from './curve-gestures.mjs';
import { captionOf, createReadout, element, happenedIn, legendOf } from './curve-texts.mjs';
import { zoneText } from './times.mjs';

const LOAD_AFTER_MS = 120;
const BUTTONS = [
  ['◀', 'Earlier', 'ArrowLeft'],
  ['▶', 'Later', 'ArrowRight'],
  ['−', 'Zoom out', '-'],
  ['+', 'Zoom in', '+'],
  ['Back', 'Back to the span before', 'Escape'],
];
const WAYS = [
  [
    'by-mouse',
    'Zoom: drag across the picture, or + and −. Move: ← and →. Back: Esc, double click; 0: to the first span. Values: point, or Shift with ← and →.',
  ],
  ['by-touch', 'Zoom: two fingers. Move: one finger. Values: tap.'],
];

function createCurve(target) {
  const devices = JSON.parse(target.dataset.curve);
  const note = element('p', { className: 'empty', role: 'status' });
  const said = element('p', { className: 'hidden', role: 'status' });
  const pictures = element('div', { className: 'pictures' });
  const address = createAddress({ onChange });
  /** { picture, readout, canvas } of each chart. */
  let drawn = [];
  let span = null;
  let abort = new AbortController();
  let timer;

  const nowS = () => Date.now() / 1000;
  function preview(next) {
    for (const { picture } of drawn) picture.setScale('x', { min: next.from, max: next.to });
  }
  function go(next, { isMove = false } = {}) {
    if (!span) return;
    address.go(limited(next, nowS()), { isMove });
  }
  /** Moves the cursor to the reading before or after, and says its values. */
  function read(step) {
    const [first] = drawn;
    if (!first) return;
    const { picture } = first;
    const times = picture.data[0];
    const visible = [
      times.findIndex((each) => each >= span.from),
      times.findLastIndex((each) => each <= span.to),
    ];
    const index = isNumber(picture.cursor.idx) ? picture.cursor.idx + step : visible[step > 0 ? 0 : 1];
    const time = times[Math.min(Math.max(index, visible[0]), visible[1])];
    if (time === undefined) return;
    for (const each of drawn) each.picture.setCursor({ left: each.picture.valToPos(time, 'x'), top: 20 });
    said.textContent = drawn.map(({ readout }) => readout.text()).join('; ');
  }
  function act(action) {
    if (action.zoom) go(action.zoom);
    if (action.move) go(action.move, { isMove: true });
    if (action.back) address.back(action.back);
    if (action.read) read(action.read);
  }

  function onChange() {
    // An answer about the span before would take this one back.
    abort.abort();
    span = address.span() ?? span;
    if (span) preview(span);
    followAddress(address.query());
    back.disabled = !address.hasBack();
    clearTimeout(timer);
    timer = setTimeout(() => void load(), LOAD_AFTER_MS);
    delete target.dataset.drawnMs;
  }

  async function load() {
    abort.abort();
    abort = new AbortController();
    const { signal } = abort;
    delete target.dataset.drawnMs;
    target.setAttribute('aria-busy', 'true');
    try {
      const found = await Promise.all(devices.map(({ id }) => fetchCurve(id, address.query(), signal)));
      await draw(found, signal);
    } catch {
      if (!signal.aborted) note.textContent = 'The curve could not be read. Load the page again.';
    }
    if (!signal.aborted) target.removeAttribute('aria-busy');
  }

  async function draw(found, signal) {
    const startedAt = performance.now();
    const answers = devices.map(({ name }, index) => ({ name, data: found[index] }));
    const [{ from, to }] = found;
    span = { from, to };
    const charts = toCharts(answers);
    note.textContent = charts.length === 0 ? 'Nothing was measured in this span.' : '';
    for (const { picture } of drawn) picture.destroy();
    const figures = charts.map(figureOf);
    pictures.replaceChildren(
      ...figures.map(({ figure }) => figure),
      ...legendOf(answers),
      ...happenedIn(answers),
    );
    drawn = await Promise.all(figures.map(drawFigure));
    if (signal.aborted) return;
    for (const { readout, picture } of drawn) readout.show(picture);
    target.dataset.drawnMs = (performance.now() - startedAt).toFixed(1);
  }

  function figureOf(chart) {
    const readout = createReadout(chart);
    const canvas = element('div', { className: 'canvas', ariaHidden: 'true' });
    const caption = element('figcaption', { textContent: captionOf(chart) });
    return { chart, readout, canvas, figure: element('figure', {}, caption, readout.node, canvas) };
  }

  async function drawFigure({ chart, readout, canvas }) {
    const on = { select: go, back: () => address.back(1), cursor: (picture) => readout.show(picture) };
    const picture = await drawChart(chart, canvas, { span, on });
    followTouch(picture.over, {
      spanNow: () => span,
      preview: (next) => preview(limited(next, nowS())),
      end: (next, { isSmall } = {}) => (next === null ? preview(span) : go(next, { isMove: isSmall })),
    });
    return { picture, readout, canvas };
  }

  const buttons = BUTTONS.map(([textContent, label, key]) => {
    const button = element('button', {
      type: 'button',
      className: 'plain',
      textContent,
      ariaLabel: label,
      title: label,
    });
    button.addEventListener('click', () => span && act(actionOf({ key }, span)));
    return button;
  });
  const back = buttons.at(-1);
  back.disabled = !address.hasBack();
  const ways = WAYS.map(([className, textContent]) => element('span', { className, textContent }));
  target.replaceChildren(
    element('div', { className: 'row zoom' }, ...buttons),
    note,
    said,
    pictures,
    element('p', { className: 'ways quiet' }, ...ways, ` Times are in ${zoneText()}.`),
  );
  target.tabIndex = 0;
  target.setAttribute('role', 'group');
  target.ariaLabel = 'Curves';
  target.addEventListener('keydown', (event) => {
    const action = span && actionOf(event, span);
    if (!action) return;
    event.preventDefault();
    act(action);
  });
  new ResizeObserver(() => {
    for (const { picture, canvas } of drawn) resize(picture, canvas.clientWidth);
  }).observe(target);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => void load());
  /** New readings move a picture that ends now, unless somebody is reading it. */
  const news = document.querySelector('[data-live="device"]');
  news?.addEventListener('refreshed', () => {
    const isRead = target.matches(':hover') || target.contains(document.activeElement);
    if (!address.span() && !isRead && !target.querySelector('details[open]')) void load();
  });
  void load();
}

async function fetchCurve(id, query, signal) {
  const answer = await fetch(`/operator/devices/${id}/curve?${query}`, { signal });
  if (!answer.ok) throw new Error(`Status ${answer.status}`);
  return answer.json();
}

for (const target of document.querySelectorAll('[data-curve]')) createCurve(target);
