import { once } from 'node:events';
import { get } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { writeCertificate } from '@ldes-live/test-support/certificates';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { whenClosed } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { createLiveServer, type TlsCredentials } from '../src/index.ts';
import { emptyStream, PUBLIC_URL, upsert } from './test-server.ts';

async function credentials() {
  const folder = await temporaryFolder();
  const make = (name: string) => writeCertificate(`${folder}/${name}.crt`, `${folder}/${name}.key`);
  return { old: make('old'), renewed: make('renewed') };
}

async function tlsServer(tls: TlsCredentials) {
  const stream = await emptyStream();
  const server = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [stream], tls, logger: false });
  onTestFinished(() => server.close());
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  /** Opens a connection that trusts a certificate only. */
  const open = async ({ cert }: TlsCredentials): Promise<TLSSocket> => {
    const socket = connectTls({ host: '127.0.0.1', port, ca: cert });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  };
  return { ...stream, server, port, open };
}

const asked = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

test('DOC-93 documents and events come by HTTPS, and another certificate is for new connections only', async () => {
  const { old, renewed } = await credentials();
  const { log, server, port, open } = await tlsServer(old);
  const reader = await open(old);
  let read = '';
  reader.on('data', (chunk) => {
    read += chunk;
  });
  reader.write(asked('/vehicles/events'));
  await eventually(() => expect(read).toContain('event-stream'));
  for (let value = 0; value < 50; value += 1) await log.append([upsert(1, value)]);
  await eventually(() => expect(read.match(/^event: update$/gm)).toHaveLength(50));
  server.setTls(renewed);
  await expect(open(old)).rejects.toMatchObject({ code: expect.stringMatching(/SELF_SIGNED|SIGNATURE/) });
  await open(renewed);
  await log.append([upsert(1, 51)]);
  await eventually(() => expect(read.match(/^event: update$/gm)).toHaveLength(51));
  expect(reader.destroyed).toBe(false);
  const [response] = await once(get(`https://127.0.0.1:${port}/vehicles/latest`, { ca: renewed.cert }), 'response');
  expect([response.statusCode, await text(response)]).toEqual([200, expect.stringContaining('entities/1')]);
});

test('DOC-93 who does not speak TLS is cut off at once, and a request that is none is answered', async () => {
  const { old } = await credentials();
  const { port, open } = await tlsServer(old);
  const plain = connect(port, '127.0.0.1');
  plain.write(asked('/vehicles/latest'));
  await whenClosed(plain);
  const broken = await open(old);
  broken.write('nonsense\r\n\r\n');
  expect(await text(broken)).toMatch(/^HTTP\/1\.1 400 /);
});

test('DOC-93 what is no certificate with its key is refused by name, and the former one stays', async () => {
  const { old, renewed } = await credentials();
  const { server, open } = await tlsServer(old);
  const wrong: [TlsCredentials, string, RegExp][] = [
    [{ ...old, cert: '' }, 'cert', /./],
    [{ ...old, cert: old.key }, 'cert', /./],
    [{ ...old, key: 'nonsense' }, 'key', /./],
    [{ cert: old.cert, key: renewed.key }, 'key', /another certificate/],
    [{ cert: `${old.cert}-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n`, key: old.key }, 'cert', /./],
  ];
  for (const [tls, part, message] of wrong) {
    const expected = expect.objectContaining({
      code: 'ERR_TLS_UNUSABLE',
      message: expect.stringMatching(message),
      details: expect.objectContaining({ part }),
    });
    expect(() => server.setTls(tls)).toThrow(expected);
    await expect(tlsServer(tls)).rejects.toEqual(expected);
  }
  await open(old);
  const plain = await createLiveServer({ publicUrl: PUBLIC_URL, streams: [], logger: false });
  onTestFinished(() => plain.close());
  expect(() => plain.setTls(old)).toThrow(TypeError);
});
