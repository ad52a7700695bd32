/** Each form of the page is sent once, as a browser sends it, with the values of a valid request. */
import assert from 'node:assert/strict';
import type { FormLayout } from '../../src/operator/form-layout.ts';
import { FORMS, type FormName, operationOf, toActionUrl } from '../../src/operator/forms.ts';
import {
  exampleBody,
  type Fixtures,
  nameFor,
  populate,
  removingLast,
  slotsOf,
} from '../support/operations.ts';
import { type TestOrganization, useService } from '../support/service.ts';
import { signIn, visit } from './visitor.ts';

/** Operations that need a state which the fixtures have not. */
const REFUSED = ['retryConfigJob', 'proceedConfigJob', 'confirmNotificationChannelAgain'];
const PDF = new File(['%PDF-1.4\n%%EOF\n'], 'certificate.pdf', { type: 'application/pdf' });

describe('Every form', () => {
  const dms = useService({ withWorker: false });
  let org: TestOrganization;
  let cookie: string;
  let fixtures: Fixtures;

  before(async () => {
    org = await dms.addOrganization();
    cookie = await signIn(dms, { organizationId: org.id });
    fixtures = await populate(org);
  });

  const routeOf = (name: FormName) => {
    const route = dms.service.routes.find(({ operationId }) => operationId === operationOf(name));
    assert.ok(route, name);
    return route;
  };

  function send(name: FormName) {
    const route = routeOf(name);
    const params = Object.fromEntries(slotsOf(route).map((slot) => [slot, nameFor(route, slot, fixtures)]));
    const form = 'file' in FORMS[name] ? new FormData() : toFields(exampleBody(route, fixtures));
    if (form instanceof FormData) form.append('file', PDF);
    return visit(dms.baseUrl + toActionUrl(name, params), { cookie, form });
  }

  it('names the thing that it is about', () => {
    const nameless = (Object.keys(FORMS) as FormName[]).filter((name) => {
      const { path, about }: FormLayout = FORMS[name];
      return path === undefined && !about && slotsOf(routeOf(name)).length > 0;
    });
    assert.deepEqual(nameless, []);
  });

  it('accepts the values of a valid request', async () => {
    const names = (Object.keys(FORMS) as FormName[]).filter(
      (name) => !('path' in (FORMS[name] as FormLayout)),
    );
    const order = removingLast(dms.service.routes);
    const faults: string[] = [];
    for (const name of names.toSorted((a, b) => order.indexOf(routeOf(a)) - order.indexOf(routeOf(b)))) {
      const { status, text } = await send(name);
      const isRefused = REFUSED.includes(operationOf(name)) && status === 409;
      const said = /role="alert"[^>]*>(.*?)</s.exec(text)?.[1];
      if (!isRefused && status !== 303 && status !== 200) faults.push(`${name}: ${status} ${said}`);
    }
    assert.deepEqual(faults, []);
  });
});

/** The inputs of a body: names of fields in objects and rows are joined by dots, and a list of choices repeats one. */
function toFields(value: unknown, path = '', inputs = new URLSearchParams()): URLSearchParams {
  if (value === false || value === null) return inputs;
  if (typeof value !== 'object') inputs.append(path, String(value));
  for (const [name, each] of Object.entries(typeof value === 'object' ? value : {})) {
    const isChoice = Array.isArray(value) && typeof each !== 'object';
    toFields(each, isChoice ? path : [path, name].filter(Boolean).join('.'), inputs);
  }
  return inputs;
}
