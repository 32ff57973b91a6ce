import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Has OpenSSL write a certificate for `localhost` that signs itself, and its key, into files; their content. */
export function writeCertificate(certFile: string, keyFile: string): { readonly cert: string; readonly key: string } {
  const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...key, '-days', '2', ...named, '-keyout', keyFile, '-out', certFile], {
    stdio: 'ignore',
  });
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}
