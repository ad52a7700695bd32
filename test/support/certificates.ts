/** An authority and its certificates, made by openssl in a folder of the test. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  certFile: string;
  keyFile: string;
}

export interface Authority {
  certFile: string;
  /** For a server with that name, or for a client. */
  issue(name: string): Certificate;
}

export function createCertificates() {
  const folder = mkdtempSync(join(tmpdir(), 'dms-certificates-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

  function createAuthority(name: string): Authority {
    const [cert, key] = [`${name}.pem`, `${name}.key`];
    openssl('req', '-x509', ...newKey, '-keyout', key, '-out', cert, '-subj', `/CN=${name}`, '-days', '2');
    return {
      certFile: join(folder, cert),
      issue(subject) {
        const file = `${name}-${subject}`;
        writeFileSync(
          join(folder, `${file}.ext`),
          `subjectAltName=DNS:${subject}\nbasicConstraints=CA:FALSE\n`,
        );
        openssl('req', ...newKey, '-keyout', `${file}.key`, '-out', `${file}.csr`, '-subj', `/CN=${subject}`);
        const signedBy = ['-CA', cert, '-CAkey', key, '-CAcreateserial', '-days', '2'];
        openssl(
          'x509',
          '-req',
          '-in',
          `${file}.csr`,
          ...signedBy,
          '-extfile',
          `${file}.ext`,
          '-out',
          `${file}.pem`,
        );
        return { certFile: join(folder, `${file}.pem`), keyFile: join(folder, `${file}.key`) };
      },
    };
  }

  function write(name: string, text: string): string {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  }

  return { createAuthority, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
