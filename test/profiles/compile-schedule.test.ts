/** The behaviour of a device with compiled schedules, compared with the customer's intention. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type AlarmRule, DISABLED_CALENDAR, DISABLED_RULE } from '../../src/devices/configuration.ts';
import { MINUTE_MS } from '../../src/process/durations.ts';
import { compileProfile, type ProfileSnapshot } from '../../src/profiles/compile-profile.ts';
import { WEEKDAYS, type WeekSchedule } from '../../src/profiles/profile.ts';
import { isWithinSchedule, localClock, offsetOf } from './customer-view.ts';
import { isRuleOn } from './device-interpreter.ts';
import {
  alertLists,
  calendarsOf,
  filled,
  fridge,
  moments,
  nothing,
  officeHours,
  rulesOf,
  single,
  summer,
  timeOfDay,
  variants,
  weekSchedules,
  winter,
} from './fixtures.ts';

const isAllWeek = ({ days, from, to }: WeekSchedule) =>
  days.length === WEEKDAYS.length && from === '00:00' && to === '24:00';

describe('A compiled schedule', () => {
  it('enables rules exactly within the local window', () => {
    fc.assert(
      fc.property(weekSchedules, moments, fc.integer({ min: -5000, max: 5000 }), (schedule, at, minutes) => {
        const then = new Date(at.getTime() + minutes * MINUTE_MS);
        fc.pre(offsetOf(schedule.timezone, at) === offsetOf(schedule.timezone, then));
        const { weekday, minute } = localClock(schedule.timezone, then);
        const isOn = isRuleOn(calendarsOf(schedule, at), 0, then);
        assert.equal(isOn, isWithinSchedule(schedule, weekday, minute));
      }),
      { numRuns: 1500 },
    );
  });

  it('enables rules in exactly the minutes of the window, over a week and past midnight', () => {
    const sunday = Date.UTC(2026, 0, 11);
    fc.assert(
      fc.property(weekSchedules, (window) => {
        const schedule = { ...window, timezone: 'Asia/Kathmandu' };
        const calendars = calendarsOf(schedule, winter);
        for (let minute = 0; minute < 7 * 1440; minute += 1) {
          const then = new Date(sunday + (minute - 345) * MINUTE_MS);
          const weekday = WEEKDAYS[Math.floor(minute / 1440)] ?? '';
          if (isRuleOn(calendars, 0, then) !== isWithinSchedule(schedule, weekday, minute % 1440)) {
            assert.fail(`${weekday} ${timeOfDay(minute % 1440)} of ${JSON.stringify(schedule)}`);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('puts all rules in use, and no others, under the schedule', () => {
    fc.assert(
      fc.property(alertLists, weekSchedules, variants, (list, schedule, capabilities) => {
        const parts = { ...nothing, alerts: list, schedule };
        const { alarmRules = [], calendars = [] } = compileProfile(parts, capabilities, winter);
        const inUse = alarmRules.flatMap(({ condition }, at) => (condition === 'DISABLED' ? [] : [at]));
        const week = calendars.filter(({ type }) => type === 'WEEK');
        assert.equal(week.length > 0, inUse.length > 0 && !isAllWeek(schedule));
        for (const { enableRules } of week) assert.deepEqual(enableRules, inUse);
      }),
    );
  });

  it('uses one calendar for a window within a day, up to midnight, or on all days', () => {
    const oneWindow = (schedule: WeekSchedule) => {
      const [first, ...rest] = calendarsOf(schedule, winter);
      assert.deepEqual(rest, Array(5).fill(DISABLED_CALENDAR));
      return first;
    };
    const common = { type: 'WEEK', enableRules: [0, 1, 2], timezone: 60 };
    assert.deepEqual(oneWindow(officeHours), {
      ...common,
      days: [1, 2, 3, 4, 5],
      fromTime: 480,
      toTime: 1080,
    });
    const untilMidnight: WeekSchedule = { ...officeHours, days: ['friday'], from: '22:00', to: '00:00' };
    assert.deepEqual(oneWindow(untilMidnight), { ...common, days: [5], fromTime: 1320, toTime: 0 });
    assert.deepEqual(oneWindow({ ...untilMidnight, to: '24:00' }), oneWindow(untilMidnight));
    const nightly: WeekSchedule = { ...officeHours, days: [...WEEKDAYS], from: '22:00', to: '06:00' };
    const everyDay = [0, 1, 2, 3, 4, 5, 6];
    assert.deepEqual(oneWindow(nightly), { ...common, days: everyDay, fromTime: 1320, toTime: 360 });
  });

  it('uses a second calendar for the part of a night after midnight', () => {
    const night: WeekSchedule = { ...officeHours, days: ['saturday', 'friday'], from: '22:00', to: '06:00' };
    const common = { type: 'WEEK', enableRules: [0, 1, 2], timezone: 120 };
    assert.deepEqual(
      calendarsOf(night, summer),
      filled<unknown>(
        [
          { ...common, days: [5, 6], fromTime: 1320, toTime: 0 },
          { ...common, days: [0, 6], fromTime: 0, toTime: 360 },
        ],
        DISABLED_CALENDAR,
        6,
      ),
    );
  });

  it('uses two calendars for whole days, and none when these are all days', () => {
    const wholeDays: WeekSchedule = {
      ...officeHours,
      days: ['sunday', 'saturday'],
      from: '00:00',
      to: '24:00',
    };
    const common = { type: 'WEEK', enableRules: [0, 1, 2], days: [0, 6], timezone: 60 };
    assert.deepEqual(
      calendarsOf(wholeDays, winter),
      filled<unknown>(
        [
          { ...common, fromTime: 0, toTime: 720 },
          { ...common, fromTime: 720, toTime: 0 },
        ],
        DISABLED_CALENDAR,
        6,
      ),
    );
    assert.deepEqual(
      calendarsOf({ ...wholeDays, days: [...WEEKDAYS] }, winter),
      Array(6).fill(DISABLED_CALENDAR),
    );
  });

  it('uses the offset from UTC at the moment of compiling, in whole quarters of an hour', () => {
    const timezoneOf = (timezone: string, at: Date) => {
      const [first] = calendarsOf({ ...officeHours, timezone }, at);
      return first?.type === 'WEEK' ? first.timezone : null;
    };
    assert.equal(timezoneOf('Asia/Kathmandu', winter), 345);
    assert.equal(timezoneOf('Pacific/Marquesas', winter), -570);
    assert.equal(timezoneOf('America/St_Johns', winter), -210);
    assert.equal(timezoneOf('America/St_Johns', summer), -150);
    assert.equal(timezoneOf('Africa/Monrovia', new Date('1970-01-01T00:00:00Z')), -45);
    assert.equal(timezoneOf('Asia/Kolkata', new Date('1860-01-01T00:00:00Z')), 360);
    assert.ok(Object.is(timezoneOf('UTC', winter), 0));
    for (const timezone of Intl.supportedValuesOf('timeZone')) {
      const minutes = timezoneOf(timezone, summer) ?? Number.NaN;
      assert.ok(minutes % 15 === 0 && minutes >= -720 && minutes <= 840, `${timezone}: ${minutes}`);
    }
  });

  it('applies a schedule without alerts to the rules of the device, or to every slot if these are unknown', () => {
    const parts: ProfileSnapshot = { ...nothing, schedule: officeHours };
    const masks = (alarmRules?: AlarmRule[]) => {
      const configuration = compileProfile(parts, single, winter, alarmRules && { alarmRules });
      assert.deepEqual(Object.keys(configuration), ['calendars']);
      return configuration.calendars?.map(({ enableRules }) => enableRules);
    };
    const none: number[][] = Array(5).fill([]);
    const onDevice = [DISABLED_RULE, ...rulesOf([fridge]).slice(0, 11)];
    assert.deepEqual(masks(onDevice), [[1, 2, 3], ...none]);
    assert.deepEqual(masks(), [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], ...none]);
    assert.deepEqual(masks(Array(12).fill(DISABLED_RULE)), [[], ...none]);
  });

  it('disables all calendars for a schedule of always, and for alerts without a schedule', () => {
    const off = Array(6).fill(DISABLED_CALENDAR);
    assert.deepEqual(calendarsOf({ always: true }, winter), off);
    assert.deepEqual(compileProfile({ ...nothing, schedule: { always: true } }, single, winter), {
      calendars: off,
    });
    assert.deepEqual(compileProfile({ ...nothing, alerts: [fridge] }, single, winter).calendars, off);
  });

  it('applies the schedule to the rules of the profile, not of the device, when the profile has alerts', () => {
    const parts: ProfileSnapshot = { ...nothing, alerts: [fridge], schedule: officeHours };
    const alarmRules = Array<AlarmRule>(12).fill(DISABLED_RULE);
    assert.deepEqual(
      compileProfile(parts, single, winter, { alarmRules }),
      compileProfile(parts, single, winter),
    );
  });
});
