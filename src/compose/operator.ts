/** The operators' page: sessions, the data of its pages, and their files. */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createAlertsRepository } from '../alerts/alerts.repository.ts';
import { createAuditRepository } from '../audit/audit.repository.ts';
import { createCertificatesRepository } from '../certificates/certificates.repository.ts';
import { createConfigTargetsRepository } from '../config-jobs/config-targets.repository.ts';
import { createFleetRepository } from '../fleet/fleet.repository.ts';
import { createGroupsRepository } from '../groups/groups.repository.ts';
import { requireTurn } from '../http/authenticate.ts';
import { createClientAddress } from '../http/client-address.ts';
import { createConcurrencyLimit, createLimitOfTwo } from '../http/concurrency-limit.ts';
import { describeSchema } from '../http/describe-schema.ts';
import type { WithIdempotency } from '../http/idempotency.ts';
import { createOperations } from '../http/operations.ts';
import { createPageRenderer, createPages } from '../http/pages.ts';
import { renderError } from '../http/render-error.ts';
import { revocable } from '../http/responder.ts';
import { includesRole } from '../http/role.ts';
import { neededRole, type Route } from '../http/route.ts';
import { readStaticFiles } from '../http/static-files.ts';
import { bodyFaults } from '../http/validate.ts';
import { createOrganizationsRepository } from '../keys/organizations.repository.ts';
import { createMutesRepository } from '../mutes/mutes.repository.ts';
import { accessRoutes } from '../operator/access.routes.ts';
import { alertLinkRoutes } from '../operator/alert-link.routes.ts';
import { createAlertNotificationsRepository } from '../operator/alert-notifications.repository.ts';
import { alertsRoutes } from '../operator/alerts.routes.ts';
import type { Answers } from '../operator/answers.ts';
import { applyRoutes } from '../operator/apply.routes.ts';
import { archivedRoutes } from '../operator/archived.routes.ts';
import { countBreaches } from '../operator/breaches.ts';
import { channelsRoutes } from '../operator/channels.routes.ts';
import { createChoices } from '../operator/choices.ts';
import {
  type ChosenDevicesRepository,
  createChosenDevicesRepository,
} from '../operator/chosen-devices.repository.ts';
import { confirmAddressRoutes } from '../operator/confirm-address.routes.ts';
import { curveRoutes } from '../operator/curve.routes.ts';
import { createCurveMarksRepository } from '../operator/curve-marks.repository.ts';
import { createDeviceHistoryRepository } from '../operator/device-history.repository.ts';
import { createDeviceHistory } from '../operator/device-history.service.ts';
import { devicesRoutes } from '../operator/devices.routes.ts';
import { createDownload } from '../operator/downloads.service.ts';
import { errorHtml, errorTitle } from '../operator/error-html.ts';
import { exportsRoutes } from '../operator/exports.routes.ts';
import { fleetRoutes } from '../operator/fleet.routes.ts';
import { createFleetCounts } from '../operator/fleet-counts.service.ts';
import { toFields } from '../operator/form-fields.ts';
import { createFormLinks } from '../operator/form-links.ts';
import { formsRoutes } from '../operator/forms.routes.ts';
import { groupsRoutes } from '../operator/groups.routes.ts';
import { CALLBACK_PATH, identityRoutes } from '../operator/identity.routes.ts';
import { createIdentityProvider } from '../operator/identity-provider.service.ts';
import { importRoutes } from '../operator/import.routes.ts';
import { jobsRoutes } from '../operator/jobs.routes.ts';
import { createLayout } from '../operator/layout.ts';
import { linksRoutes } from '../operator/links.routes.ts';
import {
  type Ask,
  createShowPage,
  type ForecastBreaches,
  type FormPageDeps,
  type OperatorPage,
  type PageDeps,
  toOwnPath,
} from '../operator/page-deps.ts';
import { createPastDevicesRepository } from '../operator/past-devices.repository.ts';
import { profilesRoutes } from '../operator/profiles.routes.ts';
import {
  createCookieSigner,
  OPERATOR_PATH,
  SESSION_MS,
  type Session,
  type SessionRef,
  toCaller,
  toKeyId,
  toToken,
} from '../operator/session.ts';
import { createSessionsRepository } from '../operator/sessions.repository.ts';
import { sessionsRoutes } from '../operator/sessions.routes.ts';
import { createLinkIssuer, createSessions, type Sessions } from '../operator/sessions.service.ts';
import { createShownAssetsRepository } from '../operator/shown-assets.repository.ts';
import { createShownGroupsRepository } from '../operator/shown-groups.repository.ts';
import { createShownJobsRepository } from '../operator/shown-jobs.repository.ts';
import { createShownWebhooksRepository } from '../operator/shown-webhooks.repository.ts';
import { signInRoutes } from '../operator/sign-in.routes.ts';
import { createAttemptSigner } from '../operator/sign-in-attempt.ts';
import { toSignInUrl } from '../operator/sign-in-html.ts';
import { createStartRepository } from '../operator/start.repository.ts';
import { startRoutes } from '../operator/start.routes.ts';
import { createReadTyped } from '../operator/typed-groups.ts';
import { watchRoutes } from '../operator/watch.routes.ts';
import { createWatch } from '../operator/watch.service.ts';
import { webhooksRoutes } from '../operator/webhooks.routes.ts';
import { AppError } from '../process/errors.ts';
import { createKeyedSemaphore, inTurns } from '../process/keyed-semaphore.ts';
import { memoized } from '../process/memoized.ts';
import { createProfilesRepository } from '../profiles/profiles.repository.ts';
import { applyProfileId } from '../temporal/workflow-ids.ts';
import type { Resources } from './resources.ts';
import type { Slices } from './slices.ts';

const WATCH_LIFETIME_MS = 2 * 60_000;
/** By address. Anybody may ask: what waits is bounded. */
const LINK_LOOK_UPS = { perKeyMax: 1, totalMax: 2, waitMaxMs: 5_000, waitingMax: 50 };
const WATCHES = { name: 'open pages', perKeyMax: 12, perProcessMax: 400 };
/** Pages that are drawn again wait for each other, so that many different ones do not load the database. */
const REDRAWS = { perKeyMax: 2, totalMax: 8 };

interface OperatorOptions {
  routes: Route[];
  withIdempotency: WithIdempotency;
  translateFault(error: unknown): unknown;
}

/** Operations on sign-in links and sessions; without the page, creating a link answers 404. */
export const operatorLinkRoutes = ({ settings: { operatorUrl }, sql, now }: Resources): Route[] => [
  ...linksRoutes({ operatorUrl, issue: createLinkIssuer({ sessionsIn: createSessionsRepository, now }) }),
  ...sessionsRoutes({ sessions: createSessionsRepository(sql), sessionsIn: createSessionsRepository, now }),
];

/** Null when the page is off. */
export function composeOperator(resources: Resources, slices: Slices, options: OperatorOptions) {
  const { settings, sql, listTurns, now, monotonicMs, log } = resources;
  const { operatorUrl } = settings;
  if (operatorUrl === null) return null;
  const staticFiles = readStaticFiles(`${OPERATOR_PATH}/static`, FILES);
  const layout = createLayout(staticFiles.pathOf);
  const call = createOperations({ ...resources, ...options, recordAudit: slices.audit.record });
  const ask: PageDeps['ask'] = async (session, operationId, input) =>
    (await call(toCaller(session), operationId, input)).body as Answers[typeof operationId];
  const { limits, organizationLimits, failures } = slices.keys;
  const admitSession = (session: SessionRef) => requireTurn(limits.customer.take(toKeyId(session)));
  const admitOrganization = ({ organizationId }: SessionRef) =>
    requireTurn(organizationLimits.customer.take(organizationId));
  const sessions = createSessions({
    sessions: createSessionsRepository(sql),
    cookies: createCookieSigner(settings.secretsKeys),
    admit: admitSession,
    now,
  });
  const findOperation = finderOf(options.routes);
  const start = inTurns(createStartRepository(sql), listTurns, 'countOpenAlerts', 'listTroubledJobs');
  const shownGroups = createShownGroupsRepository(sql);
  const profiles = createProfilesRepository(sql);
  const certificates = createCertificatesRepository(sql);
  const deps = {
    ask,
    call,
    audit: createAuditRepository(sql),
    download: createDownload({ call, revocable, isActive: sessions.isActive, monotonicMs }),
    layout,
    showPage: createShowPage(layout),
    now,
    ...createFleetCounts({ ...createFleetRepository(sql), countInContact: start.countInContact, now }),
    curveMarks: inTurns(createCurveMarksRepository(sql), listTurns, 'listAlerts'),
    mutes: createMutesRepository(sql),
    listOrdered: slices.assets.listOrdered,
    listRecentHours: slices.measurements.listRecentHours,
    linksFor: createFormLinks((session, id) => mayCall(session, findOperation(id))),
    listChoices: createChoices(ask, shownGroups),
    readTyped: createReadTyped(createGroupsRepository(sql).findByNames),
    forecastBreaches: createBreachForecast(
      ask,
      inTurns(createChosenDevicesRepository(sql), listTurns, 'listMeasured'),
    ),
    pastDevices: inTurns(createPastDevicesRepository(sql), listTurns, 'list', 'listReplaced'),
    hasCertificate: async (organizationId: string, serialNumber: string) =>
      (await certificates.find(organizationId, serialNumber)) !== null,
    listGroupNames: shownGroups.listByIds,
    listProfileNames: profiles.listNames,
    findProfile: profiles.find,
    listGroupsByProfile: shownGroups.listByProfile,
    listLeaving: shownGroups.listLeaving,
    shownGroups,
    nextFormId: randomUUID,
    findOperation,
    fieldsOf: fieldsIn(findOperation),
    findFaults: faultsIn(findOperation),
    toRefusal: refusals(options.translateFault),
    shownAssets: createShownAssetsRepository(sql),
    start,
    listOldestNew: inTurns(createAlertsRepository(sql), listTurns, 'listOldestNew').listOldestNew,
    alertNotifications: inTurns(createAlertNotificationsRepository(sql), listTurns, 'listOfSteps'),
    shownJobs: createShownJobsRepository(sql),
    listAwaited: inTurns(createConfigTargetsRepository(sql), listTurns, 'listAwaited').listAwaited,
    shownWebhooks: createShownWebhooksRepository(sql),
    runUrl: runUrlIn(settings),
  };
  const readHistory = createDeviceHistory({
    ...deps,
    deviceHistory: inTurns(createDeviceHistoryRepository(sql), listTurns, 'listMemberships'),
  });
  const pages: OperatorPage[] = [
    ...startRoutes(deps),
    ...fleetRoutes(deps),
    ...importRoutes(deps),
    ...devicesRoutes({ ...deps, readHistory }),
    ...archivedRoutes({ ...deps, readHistory }),
    ...curveRoutes(deps),
    ...jobsRoutes(deps),
    ...alertsRoutes({ ...deps, draw: (...page) => renderer.draw(...page) }),
    ...webhooksRoutes(deps),
    ...channelsRoutes(deps),
    ...groupsRoutes(deps),
    ...profilesRoutes(deps),
    ...accessRoutes(deps),
    ...applyRoutes(deps),
    ...exportsRoutes(deps),
    ...formsRoutes(deps),
  ];
  const renderer = createPageRenderer(pages);
  const redraws = createKeyedSemaphore(REDRAWS);
  const watch = createWatch({
    draw: (session, url) => redraws.run(session.organizationId, () => renderer.draw(session, url)),
    isActive: sessions.isActive,
    intervalMs: resources.watchIntervalMs,
    lifetimeMs: WATCH_LIFETIME_MS,
  });
  // Counted after a link was looked up: a valid link works, whatever others at the address have sent.
  const links = {
    lookUps: createKeyedSemaphore(LINK_LOOK_UPS),
    countFailure: (address: string) => requireTurn(failures.take(address)),
  };
  return {
    pages: createPages<Session>({
      prefix: OPERATOR_PATH,
      baseUrl: operatorUrl,
      visitSeconds: SESSION_MS / 1000,
      routes: [
        ...pages,
        ...watchRoutes({ watch, isLive: renderer.isLive, limit: createConcurrencyLimit(WATCHES) }),
        ...signInRoutes({
          layout,
          sessions,
          provider: settings.oidc && new URL(settings.oidc.issuer).host,
          ...links,
        }),
        ...confirmAddressRoutes({
          layout,
          confirmations: slices.notifications.confirmations,
          ...links,
        }),
        ...alertLinkRoutes({
          ...deps,
          ...links,
          find: slices.notifications.alertLinks.find,
          listAlertIds: slices.notifications.listAlertIds,
          findOrganizationName: createOrganizationsRepository(sql).findName,
          admit(session) {
            admitSession(session);
            admitOrganization(session);
          },
        }),
        ...composeIdentity(resources, {
          operatorUrl,
          sessions,
          // Uses tokens separate from wrong keys, because a code can be verified only by asking the provider.
          admit: (address) => requireTurn(failures.take(`provider ${address}`)),
        }),
      ],
      findVisitor: sessions.find,
      fileLimit: createLimitOfTwo('forms with a file'),
      admit: admitOrganization,
      clientAddress: createClientAddress(settings.trustedProxies),
      staticFiles,
      translateFault: options.translateFault,
      errorPage: ({ status, message, url }, session) =>
        layout(
          { title: errorTitle(status), session },
          // A session over its limit is not looked up, and signing in again would not help.
          errorHtml({
            status,
            message,
            signInUrl: session === null && status !== 429 ? toSignInUrl(toOwnPath(url)) : null,
            isSent: url === null,
          }),
        ),
      onDefect: (err) => log.error({ err }, 'a page of the operators failed'),
    }),
    close: watch.close,
  };
}

/** Sign-in with an identity provider, if one is configured. */
function composeIdentity(
  { settings, sql, now, log }: Resources,
  { operatorUrl, sessions, admit }: { operatorUrl: string; sessions: Sessions; admit(address: string): void },
) {
  if (settings.oidc === null) return [];
  const issue = createLinkIssuer({ sessionsIn: createSessionsRepository, now });
  return identityRoutes({
    provider: createIdentityProvider({
      settings: settings.oidc,
      redirectUrl: `${operatorUrl}${CALLBACK_PATH}`,
      log,
    }),
    rules: settings.oidc,
    attempts: createAttemptSigner(settings.secretsKeys),
    admit,
    findOrganization: createOrganizationsRepository(sql).findFirstByName,
    /** Creates a link that is used at once and never shown. */
    async begin(request) {
      const signedIn = await sessions.signIn(toToken(await issue(sql, request)));
      if (!signedIn) throw new Error('A session that was made did not begin');
      log.info(
        { organizationId: request.organizationId, role: request.role },
        'Signed in with the identity provider',
      );
      return signedIn.cookie;
    },
    signOut: sessions.signOut,
    now,
  });
}

function mayCall({ role }: Session, operation: Route): boolean {
  const needed = neededRole(operation);
  return needed !== null && includesRole(role, needed);
}

function finderOf(routes: readonly Route[]): (operationId: string) => Route {
  const byId = new Map(routes.map((each) => [each.operationId, each]));
  return (operationId) => {
    const found = byId.get(operationId);
    if (!found) throw new Error(`There is no operation ${operationId}`);
    return found;
  };
}

const fieldsIn =
  (findOperation: (operationId: string) => Route): FormPageDeps['fieldsOf'] =>
  (operationId, part = 'body') => {
    const schema = findOperation(operationId)[part];
    return schema ? toFields(describeSchema(schema)) : [];
  };

/** More are told after those are corrected. */
const FAULTS_MAX = 50;

/** Schemas are compiled once for each operation, when a form of it is sent first. */
function faultsIn(findOperation: (operationId: string) => Route): FormPageDeps['findFaults'] {
  const compiled = memoized(String, (operationId: string) => {
    const { body: schema } = findOperation(operationId);
    return schema ? bodyFaults(schema, FAULTS_MAX) : () => [];
  });
  return (operationId, body) => compiled(operationId)(body);
}

const refusals =
  (translateFault: OperatorOptions['translateFault']): FormPageDeps['toRefusal'] =>
  (thrown) => {
    const error = translateFault(thrown);
    if (!(error instanceof AppError)) throw error;
    const { status, body } = renderError(error);
    return { status, messages: [body.message] };
  };

/** Previews warn of the breaches that an apply would cause at once, because the job does not stop there. */
const createBreachForecast =
  (ask: Ask, devices: Pick<ChosenDevicesRepository, 'listMeasured'>): ForecastBreaches =>
  async (session, slug, chosen) => {
    const { profile } = await ask(session, 'getProfile', { params: { slug } });
    if (profile.temperatureAlerts.length === 0) return null;
    return countBreaches(
      profile.temperatureAlerts,
      await devices.listMeasured(session.organizationId, chosen),
    );
  };

const runUrlIn =
  ({ temporalUiUrl, temporalNamespace }: Resources['settings']) =>
  (jobId: string): string | null =>
    temporalUiUrl === null
      ? null
      : `${temporalUiUrl}/namespaces/${temporalNamespace}/workflows/${applyProfileId(jobId)}`;

const STATIC = new URL('../operator/static/', import.meta.url);
const uplot = (name: string) =>
  join(dirname(createRequire(import.meta.url).resolve('uplot/package.json')), 'dist', name);

/** Sorted, because their paths contain a hash that is the same in every process. */
const FILES = {
  ...Object.fromEntries(
    readdirSync(STATIC)
      .sort()
      .map((name) => [name, new URL(name, STATIC)]),
  ),
  'uplot.js': uplot('uPlot.iife.min.js'),
  'uplot.css': uplot('uPlot.min.css'),
};
