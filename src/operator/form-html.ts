/** A form: its fields, the values that were typed, and the message of a refusal at its field. */
import type { Field, Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';
import { placeFaults, toInputs, toRemoval } from './form-values.ts';
import { type Content, type Html, html } from './html.ts';
import {
  aria,
  type Drawn,
  focus,
  helpOf,
  inputHtml,
  isFaulty,
  lookOf,
  type Options,
  optionsOf,
  typedHtml,
} from './input-html.ts';
import { hiddenInputs, toWords } from './parts.ts';
import { areTyped } from './typed-groups.ts';

export interface FormOptions {
  layout: FormLayout;
  fields: readonly Field[];
  values: Values;
  options: Options;
  action: string;
  /** Of this drawn form. */
  once: string;
  back: string;
  /** The page that follows in place of that of the layout; null: none is named. */
  next: string | null;
  /** Values that the form showed first, in a form that changes something. */
  shown: Values | null;
  /** Messages about typed values. */
  faults: readonly string[];
  /** Name of the thing that the form is about; null: it is about none. */
  about: Content;
}

/** Empty rows for more items of a list. */
const SPARE_ROWS = 2;
/** Lists up to this length show all their empty rows. */
const SHORT_LIST = 10;
const ROWS_MAX = 100;

export function formHtml({
  layout,
  fields,
  values,
  action,
  once,
  back,
  next,
  shown,
  about,
  ...more
}: FormOptions): Html {
  const drawn = shown ? fields.map((field) => ({ ...field, isRequired: isKept(field, shown) })) : fields;
  const { content, unplaced } = fieldsHtml({ ...more, fields: drawn, values, looks: layout.looks });
  return html`<p class="crumbs"><a href="${back}">${about ?? 'Back'}</a></p>
<h1>${layout.title}${about !== null && html` <span class="quiet">${about}</span>`}</h1>
${layout.question && html`<p>${layout.question}</p>`}
${unplaced}
<form method="post" action="${action}" class="form"${layout.file && html` enctype="multipart/form-data"`}>
${layout.file && html`<div class="field"><label for="file">${layout.file.label}</label><input type="file" id="file" name="file" required accept="${layout.file.accept}"></div>`}
${content}
<input type="hidden" name="once" value="${once}">
${next !== null && html`<input type="hidden" name="return" value="${next}">`}
${shown && html`<input type="hidden" name="shown" value="${JSON.stringify(shown)}">`}
<div class="actions"><button class="${layout.isDanger ? 'danger' : 'main'}">${layout.submit}</button> <a href="${next ?? back}">Cancel</a></div></form>`;
}

/** A stored value that only another one can replace. */
const isKept = ({ name, isNullable, isRequired }: Field, shown: Values): boolean =>
  isRequired || (!isNullable && shown[name] !== null && shown[name] !== undefined);

export interface AskedAgain {
  action: string;
  /** The form that asked, to be sent again. */
  inputs: Iterable<[string, string]>;
  submit: string;
  back: string;
}

/** The way on after a question: carry it out, change the form, or leave it. */
export const askedAgainHtml = ({ action, inputs, submit, back }: AskedAgain): Html =>
  html`<form method="post" action="${action}" class="actions">${hiddenInputs(inputs)}
<button class="main" name="step" value="apply">${submit}</button>
<button name="step" value="edit">Change…</button> <a href="${back}">Cancel</a></form>`;

export interface FieldsOptions {
  fields: readonly Field[];
  values: Values;
  options?: Options;
  looks?: FormLayout['looks'];
  faults?: readonly string[];
}

/** The fields, and the faults that are about none of them. */
export function fieldsHtml({ fields, values, options = {}, looks = {}, faults = [] }: FieldsOptions) {
  const labels = new Map<string, string>();
  const drawn = { inputs: toInputs(fields, values), options, looks, labels };
  const draw = (placed: ReadonlyMap<string, string>) =>
    fields.map((field) => fieldHtml({ ...drawn, field, path: field.name, faults: placed }));
  // Once to know which inputs there are, so that each fault finds its own.
  draw(new Map());
  const { placed, unplaced } = placeFaults(faults, labels, drawn.inputs);
  return {
    content: draw(placed),
    unplaced: unplaced.map((fault) => html`<p class="problem" role="alert">${fault}</p>`),
  };
}

function fieldHtml(drawn: Drawn): Content {
  const { field, path, labels } = drawn;
  const { orAt } = lookOf(drawn);
  labels.set(path, orAt ? `${labelOf(drawn)} ${orAt}` : labelOf(drawn));
  if (field.kind === 'rows') return rowsHtml(drawn);
  if (field.kind === 'group') {
    return fieldset(
      drawn,
      field.fields.map((each) => child(drawn, each, `${path}.${each.name}`)),
    );
  }
  if (field.kind === 'boolean') return boxHtml(drawn);
  if (isListOfBoxes(drawn)) return fieldset(drawn, boxesHtml(drawn));
  const { need = !field.isRequired && 'optional' } = lookOf(drawn);
  return html`<div class="field"><label for="${path}">${labelOf(drawn)}${need && html` <span class="optional">${need}</span>`}</label>
${inputHtml(drawn)}${notes(drawn)}</div>`;
}

const child = (drawn: Drawn, field: Field, path: string): Content =>
  fieldHtml({ ...drawn, field, path, isWithin: true });

function labelOf(drawn: Drawn): string {
  const words = toWords(drawn.field.name);
  return lookOf(drawn).label ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const isListOfBoxes = (drawn: Drawn) =>
  drawn.field.kind === 'choices' || (drawn.field.kind === 'texts' && optionsOf(drawn) !== null);

function fieldset(drawn: Drawn, content: Content): Html {
  return html`<fieldset id="${drawn.path}"${isFaulty(drawn) && html` tabindex="-1"${focus(drawn)}`}><legend>${labelOf(drawn)}</legend>${notes(drawn)}${content}</fieldset>`;
}

/** Help, and the refusal. */
const notes = (drawn: Drawn): Content => [
  helpOf(drawn) && html`<p class="help" id="${drawn.path}-help">${helpOf(drawn)}</p>`,
  isFaulty(drawn) &&
    html`<p class="problem" role="alert" id="${drawn.path}-fault">${drawn.faults.get(drawn.path)}</p>`,
];

function rowsHtml(drawn: Drawn): Html {
  const { field, path, inputs } = drawn;
  const used = new Set(
    [...inputs.keys()]
      .filter((key) => key.startsWith(`${path}.`))
      .map((key) => key.slice(path.length + 1).split('.')[0]),
  );
  const most = Math.min(field.max ?? ROWS_MAX, ROWS_MAX);
  const rows = most <= SHORT_LIST ? most : Math.min(most, used.size + SPARE_ROWS);
  const { row: word = 'row' } = lookOf(drawn);
  const row = (index: number) =>
    html`<fieldset class="item"><legend>${index + 1}</legend>${field.fields.map((each) =>
      child(
        index < used.size ? drawn : { ...drawn, inputs: spareInputs(field, `${path}.${index}.`) },
        each,
        `${path}.${index}.${each.name}`,
      ),
    )}${index < used.size && html`<label class="check"><input type="checkbox" name="${toRemoval(`${path}.${index}`)}" value="true"> Remove this ${word}</label>`}</fieldset>`;
  /** Nested, so that each press of the button adds one row. */
  const spareFrom = (index: number): Content =>
    index < rows &&
    html`<details class="more"><summary>Add a ${word}</summary>${row(index)}${spareFrom(index + 1)}</details>`;
  const open = Math.max(used.size, 1);
  return fieldset(drawn, [Array.from({ length: open }, (_, index) => row(index)), spareFrom(open)]);
}

/** An empty row shows the defaults of its boxes; other empty inputs get their defaults from the operation. */
function spareInputs({ fields }: Field, prefix: string): URLSearchParams {
  const boxes = fields.filter(({ kind, default: value }) => kind === 'boolean' && value === true);
  return new URLSearchParams(boxes.map(({ name }): [string, string] => [prefix + name, 'true']));
}

const boxHtml = (drawn: Drawn): Html => {
  const { path, inputs } = drawn;
  return html`<div class="field"><label class="check"><input type="checkbox" name="${path}" value="true"${inputs.has(path) && html` checked`}${aria(drawn)}> ${labelOf(drawn)}</label>${notes(drawn)}</div>`;
};

const boxesHtml = (drawn: Drawn): Content => {
  const { path, inputs } = drawn;
  const chosen = inputs.getAll(path);
  const all = optionsOf(drawn) ?? [];
  if (areTyped(all)) {
    const attributes = html`aria-label="1"${aria(drawn)}`;
    return html`<div class="boxes">${typedHtml(path, chosen, { options: all, attributes, spareCount: SPARE_ROWS })}</div>`;
  }
  if (all.length === 0) return html`<p class="empty">There is none yet.</p>`;
  return html`<div class="boxes">${all.map(
    ({ value, label }) =>
      html`<label class="check"><input type="checkbox" name="${path}" value="${value}"${chosen.includes(value) && html` checked`}> ${label}</label>`,
  )}</div>`;
};

/** The page that shows a secret; it is made from the answer and cannot be opened again. */
export const revealedHtml = (
  { title, reveals, said }: FormLayout,
  secret: string,
  next: string,
): Html => html`<h1>${title}</h1>
<section class="panel"><p role="status">${said}</p>
<div class="field"><label for="revealed">${reveals?.label}</label><textarea id="revealed" class="lines" rows="3" readonly spellcheck="false" autocomplete="off">${secret}</textarea>
<div class="row"><button type="button" class="copy" hidden>Copy</button><span role="status"></span></div></div>
<p>${reveals?.advice} It is shown this once.</p>
<p><a class="button main" href="${next}">I have it</a></p></section>`;
