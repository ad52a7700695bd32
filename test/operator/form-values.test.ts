/** Values of forms: from inputs to bodies and back. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import Joi from 'joi';
import { describeSchema } from '../../src/http/describe-schema.ts';
import { toFields } from '../../src/operator/form-fields.ts';
import {
  inputOfFault,
  readValues,
  toChange,
  toCreation,
  toInputs,
  toTimes,
  withoutUnused,
} from '../../src/operator/form-values.ts';

const SCHEMA = Joi.object({
  name: Joi.string().required(),
  floor: Joi.number().integer().allow(null),
  isLoud: Joi.boolean().default(true),
  kinds: Joi.array().items(Joi.string().valid('a', 'b')).min(1),
  serials: Joi.array().items(Joi.string()),
  rollout: Joi.object({ first: Joi.number().required(), rest: Joi.number().default(100) }),
  steps: Joi.array()
    .items(
      Joi.object({
        after: Joi.number().required(),
        ids: Joi.array().items(Joi.string().valid('x', 'y')),
        isLoud: Joi.boolean().default(true),
      }),
    )
    .max(10),
});
const FIELDS = toFields(describeSchema(SCHEMA));
const read = (inputs: string) => readValues(FIELDS, new URLSearchParams(inputs));

describe('The values of a form', () => {
  it('reads numbers, boxes, lists and groups, and keeps a word that is no number', () => {
    assert.deepEqual(
      toCreation(FIELDS, read('name= Attic &floor=two&isLoud=true&kinds=a&serials=A1,A2 A3%0D%0A"A4"')),
      {
        name: 'Attic',
        floor: 'two',
        isLoud: true,
        kinds: ['a'],
        serials: ['A1', 'A2', 'A3', 'A4'],
      },
    );
  });

  it('reads a line break as one character, as a browser has counted it', () => {
    assert.deepEqual(read('name=a%0D%0Ab%0D%0A').name, 'a\nb');
  });

  it('leaves out empty lists, also within groups and rows', () => {
    const { steps } = toCreation(FIELDS, read('name=A&steps.0.after=5')) as { steps: unknown };
    assert.deepEqual(steps, [{ after: 5, isLoud: false }]);
    const { steps: changed } = toChange(FIELDS, read('name=A&steps.0.after=6'), {}) as { steps: unknown };
    assert.deepEqual(changed, [{ after: 6, isLoud: false }]);
  });

  it('takes away what a form showed beside a box that is said alone, and keeps what was typed there', () => {
    const looks = { 'schedule.always': { isAlone: true } };
    const hours = { days: ['monday', 'friday'], from: '08:00', to: '18:00' };
    const ticked = { always: true, ...hours, days: ['friday', 'monday'] };
    const used = (schedule: object, shown: object | null) =>
      withoutUnused({ schedule }, shown && { schedule: shown }, looks).schedule;
    assert.deepEqual(used(ticked, { always: false, ...hours }), { always: true });
    assert.deepEqual(used(ticked, { always: false, ...hours, from: '09:00' }), {
      always: true,
      from: '08:00',
    });
    assert.deepEqual(used(ticked, { always: true }), ticked);
    assert.deepEqual(used(ticked, null), ticked);
    const unticked = { ...hours, always: false };
    assert.deepEqual(used(unticked, unticked), unticked);
  });

  it('leaves out groups and rows that are empty but for their defaults', () => {
    const spare = 'steps.1.isLoud=true&steps.1.after=&rollout.first=&rollout.rest=';
    const { steps, rollout } = read(`name=A&steps.0.after=5&steps.0.ids=x&${spare}`) as Record<
      string,
      unknown
    >;
    assert.deepEqual([steps, rollout], [[{ after: 5, ids: ['x'], isLoud: false }], undefined]);
    assert.deepEqual(read('rollout.rest=50').rollout, { rest: 50 });
  });

  it('takes out a row whose box for that is ticked, and moves up the rows after it', () => {
    const rows = 'steps.0.after=1&steps.1.after=2&steps.2.after=3';
    const afters = (inputs: string) =>
      (read(inputs).steps as Array<{ after: number }>).map(({ after }) => after);
    assert.deepEqual(afters(`${rows}&steps.1.remove=true`), [1, 3]);
    assert.deepEqual(afters(rows), [1, 2, 3]);
  });

  it('shows again whatever it has read', () => {
    const row = fc.record({ after: fc.integer(), ids: fc.subarray(['x', 'y']), isLoud: fc.boolean() });
    const values = fc.record({
      name: fc.string({ minLength: 1 }).filter((text) => text.trim() === text),
      floor: fc.option(fc.integer(), { nil: undefined }),
      isLoud: fc.boolean(),
      kinds: fc.subarray(['a', 'b']),
      serials: fc.array(fc.stringMatching(/^[A-Z0-9]+$/)),
      steps: fc.array(row, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(values, (typed) => {
        const again = readValues(FIELDS, toInputs(FIELDS, typed));
        assert.deepEqual(again, JSON.parse(JSON.stringify(typed)));
      }),
    );
  });

  it('changes the fields alone that differ, and takes an emptied one away', () => {
    const shown = { name: 'Attic', floor: 2, isLoud: true, kinds: ['a'], serials: [], steps: [] };
    const typed = read('name=Attic&floor=&isLoud=true&kinds=b');
    assert.deepEqual(toChange(FIELDS, typed, shown), { floor: null, kinds: ['b'] });
    const ids = (first: string[], second: string[]) => ({
      steps: [first, second].map((each, index) => ({ after: index, ids: each, isLoud: false })),
    });
    const before = { ...shown, kinds: ['b', 'a'], ...ids(['y', 'x'], ['x']) };
    const toSend = (values: object) => toChange(FIELDS, { ...before, ...values }, before);
    assert.deepEqual(toSend({ kinds: ['a', 'b'], ...ids(['x', 'y'], ['x']) }), {});
    assert.deepEqual(Object.keys(toSend(ids(['x'], ['x', 'y']))), ['steps']);
    assert.deepEqual(Object.keys(toSend({ steps: before.steps.toReversed() })), ['steps']);
  });

  it('turns a chosen number of hours into a time, and leaves any other number as it is', () => {
    const now = new Date('2026-03-02T08:00:00.000Z');
    const looks = { until: { hours: [2] } };
    assert.deepEqual(toTimes({ until: '2' }, looks, now), { until: '2026-03-02T09:59:59.000Z' });
    assert.deepEqual(toTimes({ until: '9' }, looks, now), { until: '9' });
  });

  it('counts the hours from the time in another field, and from now while that is empty', () => {
    const now = new Date('2026-03-02T08:00:00.000Z');
    const looks = { until: { hours: [2], since: 'from' } };
    const from = '2026-03-05T08:00:00Z';
    assert.deepEqual(toTimes({ from, until: '2' }, looks, now).until, '2026-03-05T10:00:00.000Z');
    assert.deepEqual(toTimes({ until: '2' }, looks, now).until, '2026-03-02T09:59:59.000Z');
    for (const wrong of ['soon', '+275760-09-13T00:00:00Z'])
      assert.equal(toTimes({ from: wrong, until: '2' }, looks, now).until, '2', wrong);
  });

  it('finds the input that a message is about', () => {
    const inputs = ['name', 'floor', 'serialNumber', 'steps', 'steps.0.after', 'steps.1.after'];
    for (const [message, input] of [
      ['floor must be a number', 'floor'],
      ['steps[1].after is required', 'steps.1.after'],
      ['steps[7].ids is required', 'steps'],
      ['An active asset has the serial number X already', 'serialNumber'],
      ['No such thing', null],
      ['floors are none', null],
    ] as const)
      assert.equal(inputOfFault(message, inputs), input, message);
  });
});
