/** A person with a keyboard alone: walks through a page by the Tab key, fills its fields and presses its button. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

const STOPS_MAX = 300;

/** The thing that has the focus. */
export interface Stop {
  tag: string;
  type: string;
  name: string;
  value: string;
  isChecked: boolean;
  /** Values of a list to choose from. */
  options: string[];
  isOutlined: boolean;
  /** A summary whose content is hidden. */
  isClosed: boolean;
  /** Its position among all that can be pressed or filled. */
  index: number;
  markup: string;
}

const PRESSABLE = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]';
const PREPARE = `{
  const main = document.querySelector('main');
  main.tabIndex = -1;
  main.focus();
}`;
const LIST = `[...document.querySelectorAll('main :is(${PRESSABLE})')]`;
const STOP = `(() => {
  const at = document.activeElement;
  if (!at.closest('main')) return null;
  const { outlineStyle, boxShadow } = getComputedStyle(at);
  return {
    tag: at.localName, type: at.type ?? '', name: at.name ?? '', value: at.value ?? '', isChecked: at.checked === true,
    options: [...(at.options ?? [])].map(({ value }) => value),
    isOutlined: outlineStyle !== 'none' || boxShadow !== 'none',
    isClosed: at.localName === 'summary' && !at.parentElement.open,
    index: ${LIST}.indexOf(at), markup: at.outerHTML.slice(0, 120),
  };
})()`;
const UNSEEN = (seen: number[]) =>
  `${LIST}.filter((each, index) => each.checkVisibility() && !each.disabled && !${JSON.stringify(seen)}.includes(index)).map((each) => each.outerHTML.slice(0, 120))`;

const UNREACHED = `${LIST}.filter((each) => {
  for (let parent = each.closest('details'); parent; parent = parent.parentElement.closest('details')) parent.open = true;
  if (!each.checkVisibility() || each.disabled) return false;
  each.focus();
  const { outlineStyle, boxShadow } = getComputedStyle(each);
  return each.tabIndex < 0 || document.activeElement !== each || (outlineStyle === 'none' && boxShadow === 'none');
}).map((each) => each.outerHTML.slice(0, 120))`;

/** Reaches everything in the page, opens what is folded, and calls `onStop` at each thing once. */
export async function walk(page: Page, onStop: (stop: Stop) => Promise<unknown> = async () => null) {
  await page.evaluate(PREPARE);
  const seen = new Set<number>();
  let isMoved = false;
  for (let count = 0; count < STOPS_MAX; count++) {
    if (!isMoved) await page.keyboard.press('Tab');
    isMoved = false;
    const stop = (await page.evaluate(STOP)) as Stop | null;
    if (stop === null) break;
    // A field for a time is reached several times, once for each of its parts.
    if (seen.has(stop.index)) continue;
    seen.add(stop.index);
    assert.ok(stop.isOutlined, `no outline: ${stop.markup}`);
    if (stop.isClosed) {
      await page.keyboard.press('Enter');
      // A button that adds a row moves the focus into it.
      isMoved =
        (await page.evaluate("document.activeElement.matches('details.more :is(input, select)')")) === true;
    }
    if ((await onStop(stop)) === true) return;
  }
  assert.deepEqual(await page.evaluate(UNSEEN([...seen])), [], 'not reached by the Tab key');
}

/**
 * What the Tab key passes over, and what shows no focus, with everything open that is folded: faster than to walk, and as
 * certain where the controls are the browser's own.
 */
export async function findUnreached(page: Page): Promise<string[]> {
  // The browser outlines what has the focus only for people who use the keyboard.
  await page.keyboard.press('Tab');
  return page.evaluate(UNREACHED) as Promise<string[]>;
}

/** Types the values, by the names of inputs, and presses the button that sends them. */
export function fillAndSend(page: Page, values: URLSearchParams): Promise<void> {
  return walk(page, async (stop) => {
    if (stop.tag === 'button') {
      await page.keyboard.press('Enter');
      return true;
    }
    if (!values.has(stop.name)) return;
    if (stop.type === 'checkbox') {
      if (stop.isChecked !== values.getAll(stop.name).includes(stop.value))
        await page.keyboard.press('Space');
    } else if (stop.tag === 'select') {
      await choose(page, stop, values.get(stop.name) as string);
    } else if (stop.type === 'datetime-local') {
      await typeTime(page, new Date(values.get(stop.name) as string));
    } else if (stop.tag === 'textarea' || stop.type === 'text' || stop.type === 'number') {
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(values.getAll(stop.name).join('\n'));
    }
  });
}

/** In the parts of the field, as Chromium orders them in English. */
async function typeTime(page: Page, at: Date): Promise<void> {
  const [year = '', month = '', day = ''] = at.toISOString().slice(0, 10).split('-');
  await page.keyboard.type(month + day + year);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.type('1000AM');
}

/** The value, or the first one where the form offers others than the operation takes. */
async function choose(page: Page, { options }: Stop, value: string): Promise<void> {
  const index = options.includes(value) ? options.indexOf(value) : 1;
  await page.keyboard.press('Home');
  for (let count = 0; count < index; count++) await page.keyboard.press('ArrowDown');
}

/** The body of an operation, as the inputs of its form name its values. */
export function toInputs(body: object, path = ''): URLSearchParams {
  const inputs = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    const own = `${path}${name}`;
    if (value === null) inputs.append(own, '');
    else if (typeof value !== 'object') inputs.append(own, String(value));
    else if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
      for (const each of value) inputs.append(own, String(each));
    else for (const [inner, text] of toInputs(value, `${own}.`)) inputs.append(inner, text);
  }
  return inputs;
}
