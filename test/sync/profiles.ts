/** Profiles for the tests of synchronization. */
const alert = (lowC: number) => [{ type: 'low', channel: 'probe', lowC }];

/**
 * Each in two editions; guard and slow share a setting, with equal or different values; frequent shares none.
 */
export const PROFILES = [
  {
    slug: 'frequent',
    editions: [10, 60].map((minutes) => ({ intervals: { measurementIntervalMinutes: minutes } })),
    keys: ['measurementPeriodBase', 'measurementPeriodFactor'],
  },
  {
    slug: 'guard',
    editions: [7_200, 14_400].map((seconds) => ({
      temperatureAlerts: alert(seconds / 200),
      intervals: { transmissionIntervalSeconds: seconds },
    })),
    keys: ['alarmRules', 'calendars', 'transmissionInterval'],
  },
  {
    slug: 'slow',
    editions: [86_400, 7_200].map((seconds) => ({ intervals: { transmissionIntervalSeconds: seconds } })),
    keys: ['transmissionInterval'],
  },
];

/** For concurrent and competing requests. */
export const CONCURRENT_PROFILES: Record<string, object> = {
  'every-hour': { intervals: { transmissionIntervalSeconds: 3_600 } },
  'every-two-hours': { intervals: { transmissionIntervalSeconds: 7_200 } },
  'every-day': { intervals: { transmissionIntervalSeconds: 86_400 } },
  'ten-minutes': { intervals: { measurementIntervalMinutes: 10 } },
  'hour-and-day': { intervals: { measurementIntervalMinutes: 60, transmissionIntervalSeconds: 86_400 } },
  guard: { temperatureAlerts: alert(50), intervals: { transmissionIntervalSeconds: 3_600 } },
};
