/** Temporal behind TLS, with and without client certificates, configured by the environment. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { NativeConnection } from '@temporalio/worker';
import { readTemporalSettings } from '../../src/process/config.ts';
import { connectTemporal, toTemporalConnection } from '../../src/temporal/connection.ts';
import { explainFault } from '../../src/temporal/connection-faults.ts';
import { type Authority, type Certificate, createCertificates } from '../support/certificates.ts';
import {
  apply,
  applyAnswer,
  createProfile,
  eventually,
  FRIDGE,
  registerMany,
  untilEnded,
} from '../support/fleet.ts';
import { servers } from '../support/servers.ts';
import { startService } from '../support/service.ts';

const NAME = 'temporal.example';

describe('An encrypted connection to Temporal', () => {
  const certificates = createCertificates();
  let authority: Authority;
  let client: Certificate;
  let stranger: Certificate;
  const proxies: Server[] = [];

  before(() => {
    authority = certificates.createAuthority('authority');
    client = authority.issue('client');
    stranger = certificates.createAuthority('stranger').issue(NAME);
  });
  after(() => {
    for (const proxy of proxies) proxy.close();
    certificates.remove();
  });

  /** Terminates TLS in front of the test's Temporal server. Returns the address. */
  async function startProxy({ certFile, keyFile }: Certificate, asksForClient = false): Promise<string> {
    const [host = '', port] = (await servers()).temporalAddress.split(':');
    const proxy = createServer(
      {
        cert: readFileSync(certFile),
        key: readFileSync(keyFile),
        ca: readFileSync(authority.certFile),
        requestCert: asksForClient,
        rejectUnauthorized: asksForClient,
        ALPNProtocols: ['h2'],
      },
      (inside) => {
        const outside = connect({ host, port: Number(port) });
        inside.on('error', () => outside.destroy()).on('close', () => outside.destroy());
        outside.on('error', () => inside.destroy()).on('close', () => inside.destroy());
        inside.pipe(outside).pipe(inside);
      },
    );
    proxy.on('tlsClientError', () => {});
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    proxies.push(proxy);
    return `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  }

  const trusting = (address: string) => ({
    TEMPORAL_ADDRESS: address,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.certFile,
    TEMPORAL_TLS_SERVER_NAME: NAME,
  });
  const withClient = ({ certFile, keyFile }: Certificate) => ({
    TEMPORAL_TLS_CLIENT_CERT_PATH: certFile,
    TEMPORAL_TLS_CLIENT_KEY_PATH: keyFile,
  });

  it('serves the client and the worker with a client certificate: a job runs to its end', async () => {
    const address = await startProxy(authority.issue(NAME), true);
    const settings = readTemporalSettings({ ...trusting(address), ...withClient(client) });
    const dms = await startService({ settings });
    const slug = await createProfile(dms, FRIDGE);
    const [serial = ''] = await registerMany(dms, 1);
    const jobId = await apply(dms, slug, { serialNumbers: [serial] });
    await applyAnswer(dms, serial);
    assert.equal((await untilEnded(dms, jobId)).status, 'succeeded');
    await dms.stop();
  });

  /** Errors of the client and the worker for a failing connection. */
  async function faultsOf(env: Record<string, string>): Promise<string[]> {
    const connection = toTemporalConnection(readTemporalSettings(env));
    const { client: temporal, close } = connectTemporal(connection);
    const byClient = await eventually(
      () => temporal.workflow.getHandle('none').describe().then(String, explainFault),
      (fault) => !/deadline/i.test(fault),
    );
    await close();
    const byWorker = await NativeConnection.connect(connection.options).then(String, explainFault);
    return [byClient, byWorker];
  }

  it('explains faults of certificates alike for the client and the worker', async () => {
    const address = await startProxy(authority.issue(NAME));
    const wrongName = { ...trusting(address), TEMPORAL_TLS_SERVER_NAME: 'other.example' };
    for (const fault of await faultsOf(wrongName))
      assert.match(fault, /for another name.*TEMPORAL_TLS_SERVER_NAME/);
    const untrusted = trusting(await startProxy(stranger));
    for (const fault of await faultsOf(untrusted)) assert.match(fault, /not trusted.*SERVER_CA_CERT_PATH/);
    const closed = trusting(await startProxy(authority.issue(NAME), true));
    for (const fault of await faultsOf(closed)) assert.match(fault, /client certificate.*CLIENT_CERT_PATH/);
    const plain = trusting((await servers()).temporalAddress);
    for (const fault of await faultsOf(plain)) assert.match(fault, /does not speak TLS/);
  });

  it('needs no setting of the other processes', () => {
    const { temporalAddress } = readTemporalSettings({
      TEMPORAL_ADDRESS: 'temporal.example:7233',
      DATABASE_POOLER: 'transaction',
      SMTP_URL: 'smtp://mail.example',
    });
    assert.equal(temporalAddress, 'temporal.example:7233');
  });

  it('refuses to start when a file is missing or a certificate has no key', () => {
    const missing = {
      ...trusting('temporal.example:7233'),
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere/ca.pem',
    };
    assert.throws(() => readTemporalSettings(missing), {
      message: 'The connection to Temporal is not right: the file /nowhere/ca.pem cannot be read (ENOENT)',
    });
    const halved = { ...trusting('temporal.example:7233'), TEMPORAL_TLS_CLIENT_CERT_PATH: client.certFile };
    assert.throws(() => readTemporalSettings(halved), /a client certificate needs its key/);
  });

  it('keeps a connection with an API key unencrypted when TEMPORAL_TLS is false', () => {
    const { temporalAccess } = readTemporalSettings({
      TEMPORAL_ADDRESS: 'proxy.example:7233',
      TEMPORAL_API_KEY: 'made-up',
      TEMPORAL_TLS: 'false',
    });
    assert.equal(temporalAccess.tls, false);
  });

  it('reads address, namespace and API key from the environment or from the profile of a file', () => {
    const key = readTemporalSettings({
      TEMPORAL_ADDRESS: 'region.example:7233',
      TEMPORAL_NAMESPACE: 'fleet',
      TEMPORAL_API_KEY: 'made-up',
    });
    assert.deepEqual(key, {
      temporalAddress: 'region.example:7233',
      temporalNamespace: 'fleet',
      temporalAccess: { tls: true, apiKey: 'made-up', metadata: undefined },
    });
    const file = certificates.write(
      'temporal.toml',
      '[profile.far]\naddress = "far.example:7233"\nnamespace = "far"\n',
    );
    const { temporalAddress, temporalNamespace } = readTemporalSettings({
      TEMPORAL_CONFIG_FILE: file,
      TEMPORAL_PROFILE: 'far',
    });
    assert.deepEqual([temporalAddress, temporalNamespace], ['far.example:7233', 'far']);
  });
});
