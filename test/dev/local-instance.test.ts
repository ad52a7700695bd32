/** Output of a local start for people. */
import assert from 'node:assert/strict';
import { startupBanner } from '../../dev/local/local-instance.ts';

describe('The banner of npm start', () => {
  const local = {
    baseUrl: 'http://127.0.0.1:8080',
    apiKey: 'key',
    deviceToken: 'token',
    coapUrl: 'coap://127.0.0.1:5683',
    temporalAddress: '127.0.0.1:7233',
    temporalUi: null,
    metricsUrl: 'http://127.0.0.1:9464/metrics',
    databaseUrl: 'postgres://127.0.0.1/dms',
    operatorLink: 'http://127.0.0.1:8080/operator/sign-in?link=once',
  };
  const bannerOf = (host: string, isTokenRequired: boolean) =>
    startupBanner(local, '/tmp/data', { host, isTokenRequired });

  it('names the Temporal server, and its UI where there is one', () => {
    const urls = { temporalUi: 'http://127.0.0.1:8233' };
    const exposure = { host: '127.0.0.1', isTokenRequired: true };
    const banner = startupBanner({ ...local, ...urls }, '/tmp/data', exposure);
    assert.match(
      banner,
      /^ {4}Temporal {6}127\.0\.0\.1:7233\n {4}Temporal UI {3}http:\/\/127\.0\.0\.1:8233$/m,
    );
    assert.match(bannerOf('127.0.0.1', true), /^ {4}Temporal UI {3}that of the server, if it has one$/m);
  });

  it('states that a registered serial number is enough over CoAP', () => {
    assert.match(bannerOf('127.0.0.1', false), /CoAP needs no device token.*\n.*COAP_REQUIRE_TOKEN=true/);
    assert.doesNotMatch(bannerOf('127.0.0.1', true), /no device token/);
  });

  it('warns when other machines reach the service', () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com'])
      assert.ok(bannerOf(host, true).includes(`WARNING: HOST is ${host}, so other machines reach`), host);
    for (const host of ['127.0.0.1', '127.0.0.2', '::1', 'localhost'])
      assert.doesNotMatch(bannerOf(host, true), /WARNING/, host);
  });
});
