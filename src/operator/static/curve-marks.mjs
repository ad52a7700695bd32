/** Marks around the lines of a curve: bounds, alerts, gaps, maintenance, configurations and notes. */

export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Height of the lane above the picture, for names of profiles and notes. */
export const LANE = 18;
const MUTE_HEIGHT = 5;

const clampedX = (chart, at) => {
  const { left, width } = chart.bbox;
  return Math.min(Math.max(chart.valToPos(at, 'x', true), left), left + width);
};

/** Shades the spans of time over the whole height, or only along the bottom. */
function shade(chart, spans, fill, height = chart.bbox.height) {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = fill;
  for (const { from, to } of spans) {
    const [left, right] = [clampedX(chart, from), clampedX(chart, to)];
    if (right > left) ctx.fillRect(left, bbox.top + bbox.height - height, Math.max(right - left, 1), height);
  }
  ctx.restore();
}

function stroke(chart, points, { stroke: style, dash }) {
  const { ctx } = chart;
  ctx.save();
  ctx.strokeStyle = style;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash(dash.map((each) => each * devicePixelRatio));
  ctx.beginPath();
  for (const [x, y] of points.slice(0, 1)) ctx.moveTo(x, y);
  for (const [x, y] of points.slice(1)) ctx.lineTo(x, y);
  ctx.stroke();
  ctx.restore();
}

/** Bounds as steps: a level for each time in which it was in force, joined where the next one begins at once. */
export function stepsOf(bounds, name) {
  const levels = bounds
    .filter((each) => each[name] !== null)
    .map(({ from, to, [name]: value }) => ({ from, to, value }))
    .sort((a, b) => a.from - b.from);
  const steps = [];
  for (const { from, to, value } of levels) {
    // Two alerts have levels at the same time.
    const ends = steps.filter((step) => step.at(-1)[0] === from);
    const last = ends.find((step) => step.at(-1)[1] === value) ?? ends[0];
    const corner = [
      [from, value],
      [to, value],
    ];
    if (last) last.push(...corner);
    else steps.push(corner);
  }
  return steps;
}

/** `look` has the colour and the dashes. */
function drawBounds(chart, bounds, look) {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const name of ['lowC', 'highC']) {
    for (const step of stepsOf(bounds, name)) {
      const points = step.map(([at, value]) => [clampedX(chart, at), chart.valToPos(value, 'y', true)]);
      stroke(chart, points, look);
    }
  }
  ctx.restore();
}

/** A line where the device reported another configuration; its profile is named above, where there is room. */
function drawChanges(chart, changes) {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = colour('--text');
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'bottom';
  const end = bbox.left + bbox.width;
  let free = bbox.left;
  for (const { at, profile } of [...changes].sort((a, b) => a.at - b.at)) {
    const x = chart.valToPos(at, 'x', true);
    if (x < bbox.left || x > end) continue;
    const line = [
      [x, bbox.top],
      [x, bbox.top + bbox.height],
    ];
    stroke(chart, line, { stroke: colour('--accent'), dash: [2, 3] });
    const { width } = ctx.measureText(profile);
    const left = Math.min(x, end - width);
    if (left < free) continue;
    ctx.fillText(profile, left, bbox.top - 3 * devicePixelRatio);
    free = left + width + 8 * devicePixelRatio;
  }
  ctx.restore();
}

/** A dot on the upper edge for each comment. */
function drawNotes(chart, notes) {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = colour('--info');
  for (const { at } of notes) {
    const x = chart.valToPos(at, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.arc(x, bbox.top, 4 * devicePixelRatio, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.restore();
}

/** Under the lines. Gaps and maintenance of several devices would hide one another. */
export function drawUnder(chart, { series, isCompared }) {
  for (const { curve, data } of series) {
    if (!isCompared) shade(chart, curve.gaps, colour('--shade'));
    const breaches = curve.alerts.map((alert) => ({ ...alert, to: alert.to ?? data.knownUntil }));
    shade(chart, breaches, colour('--bad-shade'));
    if (!isCompared) shade(chart, data.mutes, colour('--warn'), MUTE_HEIGHT * devicePixelRatio);
  }
}

export function drawOver(chart, { series, isCompared }) {
  for (const { curve, stroke: style } of series)
    drawBounds(
      chart,
      curve.bounds,
      isCompared ? { stroke: style, dash: [1, 4] } : { stroke: colour('--bad'), dash: [6, 4] },
    );
  if (isCompared) return;
  const [{ data }] = series;
  drawChanges(chart, data.changes);
  drawNotes(chart, data.notes);
}
