/** Validation of profiles, their views, and the messages for faults (contract, section 3). */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type Joi from 'joi';
import {
  changedProfile,
  newProfile,
  type Profile,
  profileDetailView,
  profileView,
  roundedToTenth,
  slugFromName,
  WEEKDAYS,
} from '../../src/profiles/profile.ts';
import {
  createProfileBody,
  profileDetailResponse,
  profileDetailSchema,
  profileListResponse,
  profileResponse,
  profileSchema,
  slugParam,
  updateProfileBody,
} from '../../src/profiles/profiles.schemas.ts';

/** Validates as the HTTP layer does. */
const options: Joi.ValidationOptions = {
  abortEarly: true,
  convert: false,
  errors: { wrap: { label: false }, label: 'path' },
};
const accepted = <T>(schema: Joi.Schema<T>, value: unknown): T => {
  const result = schema.validate(value, options);
  assert.equal(result.error?.message, undefined, JSON.stringify(value));
  return result.value as T;
};
const refused = (schema: Joi.Schema, value: unknown, message: string | RegExp) => {
  const text = schema.validate(value, options).error?.message ?? 'accepted';
  if (typeof message === 'string') assert.equal(text, message);
  else assert.match(text, message);
};

const range = { type: 'range', channel: 'probe', lowC: 2, highC: 8 };
const high = { type: 'high', channel: 'probe', highC: 8 };
const low = { type: 'low', channel: 'ambient', lowC: 2 };
const week = { always: false, days: ['monday'], from: '08:00', to: '18:00', timezone: 'Europe/Stockholm' };
const withAlert = (alert: object) => ({ slug: 'fridge', temperatureAlerts: [alert] });
const withSchedule = (schedule: object) => ({ slug: 'fridge', schedule });
const withIntervals = (intervals: object) => ({ slug: 'fridge', intervals });
/** A text leaves out the path of the part, a pattern has it. */
const refusedPart = (path: string, body: object, message: string | RegExp) =>
  refused(createProfileBody, body, typeof message === 'string' ? path + message : message);
const refusedAlert = (alert: object, message: string | RegExp) =>
  refusedPart('temperatureAlerts[0].', withAlert(alert), message);
const refusedSchedule = (schedule: object, message: string | RegExp) =>
  refusedPart('schedule.', withSchedule(schedule), message);
const refusedIntervals = (intervals: object, message: string | RegExp) =>
  refusedPart('intervals.', withIntervals(intervals), message);

describe('A new profile', () => {
  const always = { schedule: { always: true } };

  it('requires a slug or a name, and at least one part of a profile', () => {
    refused(createProfileBody, always, 'slug or name must be given');
    refused(createProfileBody, {}, 'slug or name must be given');
    refused(
      createProfileBody,
      { slug: 'fridge', name: 'Fridge' },
      'at least one of temperatureAlerts, schedule and intervals must be given',
    );
    for (const part of [
      always,
      { temperatureAlerts: [] },
      { intervals: { measurementIntervalMinutes: 5 } },
    ]) {
      accepted(createProfileBody, { slug: 'fridge', ...part });
      accepted(createProfileBody, { name: 'Fridge', ...part });
    }
  });

  it('accepts slugs of lower-case letters, digits and single hyphens, at most 64 long', () => {
    for (const slug of ['config', 'a', '2-8', 'x'.repeat(64)]) {
      accepted(createProfileBody, { slug, ...always });
      accepted(slugParam, { slug });
    }
    for (const slug of ['Fridge', 'a--b', '-a', 'a-', 'a_b', 'kühl', 'a b', 'a\n']) {
      refused(
        createProfileBody,
        { slug, ...always },
        'slug must be lower-case letters a to z and digits, with single hyphens between them',
      );
      refused(slugParam, { slug }, /^slug must be/);
    }
    refused(createProfileBody, { slug: 'x'.repeat(65), ...always }, /^slug length must be .* 64/);
    refused(createProfileBody, { slug: 5, ...always }, 'slug must be a string');
  });

  it('accepts names of 1 to 128 characters that are not blank, and keeps them as sent', () => {
    for (const name of ['  Fridge ', 'x'.repeat(128), '冷蔵庫']) {
      assert.equal(accepted(createProfileBody, { slug: 'fridge', name, ...always }).name, name);
    }
    for (const name of ['', '   ', '\u00a0']) {
      refused(createProfileBody, { slug: 'fridge', name, ...always }, 'name must not be blank');
    }
    refused(createProfileBody, { slug: 'fridge', name: 'x'.repeat(129), ...always }, /^name length .* 128/);
  });

  it('makes the slug from the name, or the name from the slug', () => {
    const made = newProfile({ name: 'Kühlschrank 2–8 °C', schedule: { always: true } });
    assert.deepEqual([made.slug, made.name], ['kuhlschrank-2-8-c', 'Kühlschrank 2–8 °C']);
    assert.equal(newProfile({ slug: 'fridge', temperatureAlerts: [] }).name, 'fridge');
    assert.deepEqual(newProfile({ slug: 'a', name: 'B', temperatureAlerts: [] }), {
      slug: 'a',
      name: 'B',
      temperatureAlerts: [],
      schedule: null,
      intervals: null,
    });
  });
});

describe('A change of a profile', () => {
  const stored: Profile = {
    slug: 'fridge',
    name: 'Fridge',
    temperatureAlerts: [],
    schedule: { always: true },
    intervals: { measurementIntervalMinutes: 5, transmissionIntervalSeconds: 600 },
  };

  it('refuses a change of a profile without fields', () => {
    refused(
      updateProfileBody,
      {},
      'at least one of name, temperatureAlerts, schedule and intervals must be given',
    );
  });

  it('checks a change of a profile by the same rules as a new one', () => {
    refused(updateProfileBody, withAlert({ ...range, lowC: 9 }), /lowC must be lower than highC/);
    refused(updateProfileBody, { schedule: null }, /^schedule must be/);
    refused(updateProfileBody, { temperatureAlerts: null }, /^temperatureAlerts must be an array/);
    accepted(updateProfileBody, { name: 'New' });
  });

  it('keeps fields that a change leaves out, and replaces those that it has as a whole', () => {
    assert.deepEqual(changedProfile(stored, {}), stored);
    assert.deepEqual(changedProfile(stored, { name: 'New' }), { ...stored, name: 'New' });
    const intervals = { measurementIntervalMinutes: 60 };
    assert.deepEqual(changedProfile(stored, { intervals }), { ...stored, intervals });
    assert.deepEqual(changedProfile(stored, { slug: 'fridge', temperatureAlerts: [] }), stored);
  });

  it('refuses a change with another slug than its path', () => {
    assert.throws(() => changedProfile(stored, { slug: 'other' }), {
      kind: 'invalid',
      message: 'slug must be fridge, as in the path, or left out',
    });
  });
});

describe('An alert', () => {
  it('fills an alert up with hysteresis 0 and both transmissions, and keeps the rest as sent', () => {
    const filled = { hysteresisC: 0, transmitOnBreach: true, transmitOnReturn: true };
    for (const alert of [range, high, low]) {
      const { temperatureAlerts } = accepted(createProfileBody, withAlert(alert));
      assert.deepEqual(temperatureAlerts, [{ ...alert, ...filled }]);
    }
    const exact = { ...range, lowC: 2.04, highC: 7.9999, hysteresisC: 0.123, transmitOnBreach: false };
    const { temperatureAlerts } = accepted(createProfileBody, withAlert(exact));
    assert.deepEqual(temperatureAlerts, [{ ...exact, transmitOnReturn: true }]);
  });

  it('keeps a delay and a severity only where they are given', () => {
    for (const terms of [
      { delayMinutes: 0 },
      { delayMinutes: 1_440, severity: 'warning' },
      { severity: 'critical' },
    ]) {
      const { temperatureAlerts } = accepted(createProfileBody, withAlert({ ...range, ...terms }));
      assert.deepEqual(temperatureAlerts?.[0], {
        ...range,
        ...terms,
        hysteresisC: 0,
        transmitOnBreach: true,
        transmitOnReturn: true,
      });
    }
    for (const delayMinutes of [-1, 1_441, 0.5, 'soon', null])
      refusedAlert({ ...range, delayMinutes }, /^temperatureAlerts\[0\].delayMinutes must be/);
    refusedAlert({ ...range, severity: 'high' }, 'severity must be one of [warning, critical]');
  });

  it('requires a known type and channel of an alert', () => {
    const { type: _type, ...untyped } = range;
    const { channel: _channel, ...unplaced } = range;
    refusedAlert(untyped, 'type is required');
    refusedAlert(unplaced, 'channel is required');
    refusedAlert({ ...range, type: 'between' }, 'type must be one of [range, high, low]');
    refusedAlert({ ...range, channel: 1 }, 'channel must be one of [probe, ambient]');
    refusedAlert([], /^temperatureAlerts\[0\] must be/);
  });

  it('requires exactly the bounds of the type of an alert', () => {
    const cases: Array<[object, string]> = [
      [{ ...range, lowC: undefined }, 'lowC is required: an alert of type range has lowC and highC'],
      [{ ...range, highC: undefined }, 'highC is required: an alert of type range has lowC and highC'],
      [{ ...high, highC: undefined }, 'highC is required: an alert of type high has only highC'],
      [{ ...high, lowC: 2 }, 'lowC must be left out: an alert of type high has only highC'],
      [{ ...low, lowC: undefined }, 'lowC is required: an alert of type low has only lowC'],
      [{ ...low, highC: 8 }, 'highC must be left out: an alert of type low has only lowC'],
    ];
    for (const [alert, message] of cases) {
      refusedAlert(alert, message);
    }
  });

  it('names the path of a wrong field in an alert', () => {
    refused(
      createProfileBody,
      { slug: 'fridge', temperatureAlerts: [range, high, { ...range, lowC: 8 }] },
      'temperatureAlerts[2].lowC must be lower than highC',
    );
  });

  it('requires the lower bound of an alert below the upper one, both within -273.2 to 4000 °C', () => {
    refusedAlert({ ...range, lowC: 8.5 }, 'lowC must be lower than highC');
    accepted(createProfileBody, withAlert({ ...range, lowC: -273.2, highC: 4000 }));
    refusedAlert({ ...range, lowC: -273.3 }, /lowC must be .* -273\.2$/);
    refusedAlert({ ...high, highC: 4000.1 }, /highC must be .* 4000$/);
    refusedAlert({ ...range, lowC: '2' }, 'lowC must be a number');
    refusedAlert({ ...range, highC: Infinity }, /highC/);
  });

  it('accepts a hysteresis of 0, or from 0.1 up to the width of the range', () => {
    const limits = 'hysteresisC must be 0 or from 0.1 to';
    for (const hysteresisC of [0, 0.1, 0.5, 6])
      accepted(createProfileBody, withAlert({ ...range, hysteresisC }));
    for (const hysteresisC of [0.05, 0.0999, 6.1]) {
      refusedAlert({ ...range, hysteresisC }, `${limits} 6, which is highC - lowC`);
    }
    for (const alert of [high, low]) {
      accepted(createProfileBody, withAlert({ ...alert, hysteresisC: 100 }));
      refusedAlert({ ...alert, hysteresisC: 100.1 }, `${limits} 100`);
      refusedAlert({ ...alert, hysteresisC: 0.05 }, `${limits} 100`);
    }
    refusedAlert({ ...range, hysteresisC: -0.1 }, /hysteresisC must be .* 0$/);
    refusedAlert(
      { ...range, lowC: 7.95, hysteresisC: 0.1 },
      'hysteresisC must be 0: highC is less than 0.1 above lowC',
    );
  });

  it('compares the hysteresis with the width in decimals: the exact width passes, a tenth more does not', () => {
    const tenths = fc.integer({ min: -2732, max: 39_999 });
    fc.assert(
      fc.property(tenths, fc.integer({ min: 1, max: 600 }), (lowTenths, width) => {
        const highTenths = Math.min(lowTenths + width, 40_000);
        const alert = { ...range, lowC: lowTenths / 10, highC: highTenths / 10 };
        const hysteresisC = (highTenths - lowTenths) / 10;
        accepted(createProfileBody, withAlert({ ...alert, hysteresisC }));
        refusedAlert(
          { ...alert, hysteresisC: (highTenths - lowTenths + 1) / 10 },
          `hysteresisC must be 0 or from 0.1 to ${hysteresisC}, which is highC - lowC`,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('accepts at most four alerts, since devices have no more rule slots', () => {
    accepted(createProfileBody, { slug: 'fridge', temperatureAlerts: Array(4).fill(range) });
    refused(
      createProfileBody,
      { slug: 'fridge', temperatureAlerts: Array(5).fill(range) },
      'temperatureAlerts must hold at most 4 alerts: a device has 12 rule slots and each alert takes 3',
    );
  });
});

describe('A schedule', () => {
  it('requires a schedule to be always, or a window on days in a time zone', () => {
    assert.deepEqual(accepted(createProfileBody, withSchedule(week)).schedule, week);
    accepted(createProfileBody, withSchedule({ always: true }));
    refusedSchedule({}, 'always is required');
    refusedSchedule({ always: 'yes' }, 'always must be a boolean');
    for (const field of ['days', 'from', 'to', 'timezone'] as const) {
      const { [field]: value, ...rest } = week;
      refusedSchedule(rest, `${field} is required when always is false`);
      refusedSchedule({ always: true, [field]: value }, `${field} must be left out when always is true`);
    }
  });

  it('requires at least one day in a schedule, each once and in lower case', () => {
    accepted(createProfileBody, withSchedule({ ...week, days: [...WEEKDAYS] }));
    refusedSchedule({ ...week, days: [] }, 'days must name at least one day');
    refusedSchedule({ ...week, days: ['monday', 'monday'] }, /^schedule\.days\[1\]/);
    for (const day of ['Monday', 'mon', 1]) {
      refusedSchedule(
        { ...week, days: [day] },
        'days[0] must be one of [sunday, monday, tuesday, wednesday, thursday, friday, saturday]',
      );
    }
  });

  it('requires times of a schedule from 00:00 to 23:59 that differ, or an end at 24:00', () => {
    for (const [from, to] of [
      ['00:00', '23:59'],
      ['22:00', '06:00'],
      ['22:00', '00:00'],
      ['22:00', '24:00'],
      ['00:00', '24:00'],
    ]) {
      accepted(createProfileBody, withSchedule({ ...week, from, to }));
    }
    for (const from of ['24:00', '8:00', '08:60', '08:00:00', '0800', '', ' 08:00']) {
      refusedSchedule({ ...week, from }, 'from must be a time from 00:00 to 23:59, written HH:MM');
    }
    for (const to of ['24:01', '25:00', '8:00', '']) {
      refusedSchedule({ ...week, to }, 'to must be a time from 00:00 to 24:00, written HH:MM');
    }
    for (const time of ['08:00', '00:00']) {
      refusedSchedule(
        { ...week, from: time, to: time },
        'to must not be the same time as from; 00:00 to 24:00 is the whole day',
      );
    }
  });

  it('accepts the named time zones that the runtime knows, and nothing else', () => {
    for (const timezone of [...Intl.supportedValuesOf('timeZone'), 'UTC', 'Etc/GMT+3', 'Europe/Kyiv']) {
      accepted(createProfileBody, withSchedule({ ...week, timezone }));
    }
    for (const timezone of ['+02:00', '-0500', 'GMT+2', 'Z', 'Europe/Atlantis', ' UTC', '', 'A'.repeat(65)]) {
      refusedSchedule(
        { ...week, timezone },
        'timezone must be the name of an IANA time zone, such as Europe/Stockholm',
      );
    }
  });
});

describe('Intervals', () => {
  it('requires at least one of the two intervals', () => {
    refused(
      createProfileBody,
      withIntervals({}),
      'intervals must set measurementIntervalMinutes or transmissionIntervalSeconds',
    );
    accepted(createProfileBody, withIntervals({ measurementIntervalMinutes: 14_400 }));
    accepted(createProfileBody, withIntervals({ transmissionIntervalSeconds: 604_800 }));
  });

  it('requires whole minutes from 1 to 14400 and whole seconds from 60 to 604800 as intervals', () => {
    for (const minutes of [0, 14_401, 1.5, '5', null]) {
      refusedIntervals({ measurementIntervalMinutes: minutes }, /^intervals\.measure/);
    }
    for (const seconds of [59, 604_801, 60.5]) {
      refusedIntervals({ transmissionIntervalSeconds: seconds }, /^intervals\.transm/);
    }
  });

  it('refuses intervals that transmit more often than they measure', () => {
    const tooOften = { measurementIntervalMinutes: 10, transmissionIntervalSeconds: 599 };
    const message = 'transmissionIntervalSeconds must be at least 600, the measurement interval in seconds';
    refusedIntervals(tooOften, message);
    refused(updateProfileBody, { intervals: tooOften }, `intervals.${message}`);
    accepted(createProfileBody, withIntervals({ ...tooOften, transmissionIntervalSeconds: 600 }));
  });
});

describe('A slug made from a name', () => {
  it('makes a slug of Latin letters without their marks, digits, and one hyphen in place of everything else', () => {
    const cases = {
      'Kühlschrank 2–8 °C': 'kuhlschrank-2-8-c',
      '  Straße / Ærø_Łódź ': 'strasse-aero-lodz',
      'Fridge №5': 'fridge-no5',
      'İstanbul ﬁsh': 'istanbul-fish',
      '冷蔵庫 7': '7',
    };
    for (const [name, slug] of Object.entries(cases)) assert.equal(slugFromName(name), slug);
  });

  it('cuts a slug to 64 characters without a hyphen at its end', () => {
    assert.equal(slugFromName('a'.repeat(128)), 'a'.repeat(64));
    assert.equal(slugFromName(`${'a'.repeat(63)} b`), 'a'.repeat(63));
  });

  it('requires a slug when the name gives none', () => {
    for (const name of ['冷蔵庫', '—', '🥶']) {
      assert.throws(() => slugFromName(name), {
        kind: 'invalid',
        message: /^slug must be given, because the name/,
      });
    }
  });

  it('makes a valid slug of any name that has one, and of a slug the same slug', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 128 }), (text) => {
        const slug = slugFromName(`${text}x`);
        accepted(slugParam, { slug });
        assert.equal(slugFromName(slug), slug);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('The views of a profile', () => {
  const bare: Profile = { slug: 'a', name: 'A', temperatureAlerts: null, schedule: null, intervals: null };
  const full = newProfile(
    accepted(createProfileBody, {
      name: 'Full',
      temperatureAlerts: [{ ...range, lowC: 2.04, highC: 7.96 }, high, low],
      schedule: week,
      intervals: { measurementIntervalMinutes: 5 },
    }),
  );

  it('shows slug, name, schedule and alerts in list and get, and nothing else', () => {
    assert.deepEqual(profileView(bare), {
      slug: 'a',
      name: 'A',
      schedule: { always: true },
      temperatureAlerts: [],
    });
    assert.deepEqual(profileView(full), {
      slug: 'full',
      name: 'Full',
      schedule: full.schedule,
      temperatureAlerts: full.temperatureAlerts,
    });
  });

  it('shows the intervals, null when unset, and the enforced bounds on create and update', () => {
    assert.deepEqual(profileDetailView(bare), {
      ...profileView(bare),
      measurementIntervalMinutes: null,
      transmissionIntervalSeconds: null,
    });
    const view = profileDetailView(full);
    assert.equal(view.measurementIntervalMinutes, 5);
    assert.equal(view.transmissionIntervalSeconds, null);
    assert.deepEqual(
      view.temperatureAlerts.map(({ lowC, highC, minC, maxC }) => [lowC, highC, minC, maxC]),
      [
        [2.04, 7.96, 2, 8],
        [undefined, 8, null, 8],
        [2, undefined, 2, null],
      ],
    );
  });

  it('shows profiles exactly by their schemas', () => {
    for (const profile of [bare, full]) {
      const view = profileView(profile);
      const detail = profileDetailView(profile);
      accepted(profileListResponse, { profiles: [view] });
      accepted(profileResponse, { profile: view });
      accepted(profileDetailResponse, { profile: detail });
      refused(profileSchema, detail, /is not allowed$/);
      refused(profileDetailSchema, view, /is required$/);
      for (const key of Object.keys(detail))
        refused(profileDetailSchema, { ...detail, [key]: undefined }, /is req/);
      for (const key of Object.keys(view))
        refused(profileSchema, { ...view, [key]: undefined }, /is required$/);
    }
  });

  it('accepts a shown profile as a change that changes nothing', () => {
    const change = accepted(updateProfileBody, profileView(full));
    assert.deepEqual(changedProfile(full, change), full);
  });
});

describe('A temperature in steps of 0.1 °C', () => {
  it('rounds temperatures to tenths, halves away from zero', () => {
    const cases = [
      [0.05, 0.1],
      [-0.05, -0.1],
      [0.04, 0],
      [-0.04, 0],
      [2.25, 2.3],
      [-2.25, -2.3],
      [1.005, 1],
      [64.35, 64.4],
      [-273.2, -273.2],
      [3999.99, 4000],
    ] as const;
    for (const [celsius, rounded] of cases) {
      assert.ok(Object.is(roundedToTenth(celsius), rounded), `${celsius} became ${roundedToTenth(celsius)}`);
    }
  });

  it('rounds every hundredth to its nearest tenth, and keeps tenths', () => {
    for (let hundredths = -27_320; hundredths <= 400_000; hundredths += 1) {
      const tenths = Math.sign(hundredths) * Math.floor((Math.abs(hundredths) + 5) / 10);
      const rounded = roundedToTenth(hundredths / 100);
      if (rounded !== tenths / 10) assert.fail(`${hundredths / 100} became ${rounded}`);
    }
  });
});
