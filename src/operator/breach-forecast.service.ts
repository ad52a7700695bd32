/** The breaches that an apply would cause at once: previews warn of them, because the job does not stop there. */
import { countBreaches } from './breaches.ts';
import type { ChosenDevicesRepository } from './chosen-devices.repository.ts';
import type { Ask, ForecastBreaches } from './page-deps.ts';

export const createBreachForecast =
  (ask: Ask, devices: Pick<ChosenDevicesRepository, 'listMeasured'>): ForecastBreaches =>
  async (session, slug, chosen) => {
    const { profile } = await ask(session, 'getProfile', { params: { slug } });
    if (profile.temperatureAlerts.length === 0) return null;
    return countBreaches(
      profile.temperatureAlerts,
      await devices.listMeasured(session.organizationId, chosen),
    );
  };
