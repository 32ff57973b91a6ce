/* HTTPS where no proxy is before the server, by one process and by workers, with curl and the commands as its clients. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { hashToken } from '@ldes-live/server';
import { writeCertificate } from '@ldes-live/test-support/certificates';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { httpServer, reservedPort } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { COMMAND, startCommand, startProcess } from './support/commands.ts';
import { need } from './support/programs.ts';

need('curl', 'openssl');
const PATIENT = { timeout: 120_000 };
const TOKEN = 'reader-token';
const MAPPING = `mapping: { subject: "{+base}{id}", properties: [{ path: level, predicate: "http://a.example/level" }] }`;

/** A folder with two certificates, the first of which a configuration names. */
async function prepared() {
  let level = 1;
  const feed = await httpServer((_request, response) => response.end(JSON.stringify([{ id: 1, level }])));
  onTestFinished(feed.close);
  const [folder, port] = [await temporaryFolder(), await reservedPort()];
  const at = (name: string) => join(folder, name);
  for (const name of ['old', 'new']) writeCertificate(at(`${name}.crt`), at(`${name}.key`));
  const use = (cert: string, key = cert) => {
    copyFileSync(at(`${cert}.crt`), at('live.crt'));
    copyFileSync(at(`${key}.key`), at('live.key'));
  };
  use('old');
  const base = `https://localhost:${port}/`;
  const configure = (tls = 'tls: { cert: ./live.crt, key: ./live.key }') => {
    const source = `source: { json: "${feed.url}", every: 200ms, ${MAPPING} }`;
    const readers = `readers: { tokens: ["${hashToken(TOKEN)}"] }`;
    const streams = `  water: { ${source} }\n  secret: { ${source}, ${readers}, queries: true }\n`;
    writeFileSync(
      at('config.yml'),
      `publicUrl: ${base}\nstore: memory\n${tls}\npush: { grace: 0s }\nstreams:\n${streams}`,
    );
  };
  configure();
  const rise = () => {
    level += 1;
  };
  return { folder, base, port, at, use, configure, rise };
}

test.each([
  { processes: 'one process', options: [] },
  { processes: 'workers', options: ['--workers', '2'] },
])(
  'DOC-93 SIGHUP exchanges the certificate under readers, and a faulty one changes nothing: $processes',
  PATIENT,
  async ({ options }) => {
    const { folder, base, port, at, use, configure, rise } = await prepared();
    const server = startCommand(['serve', 'config.yml', '--host', 'localhost', ...options], folder);
    onTestFinished(server.stop);
    /** The exit code of curl, and what it got. */
    const curl = (trusted: string, path: string, ...more: string[]) => {
      const { status, stdout } = spawnSync('curl', ['-s', '--cacert', at(`${trusted}.crt`), ...more, `${base}${path}`]);
      return { status, text: String(stdout) };
    };
    // Where no port is asked for, it is that of publicUrl.
    await eventually(() => expect(curl('old', 'water/latest').text).toContain('a.example/level'), { forMs: 60_000 });
    expect(curl('old', 'water/latest', '-I').text).toContain(`link: <${base}water>; rel="collection"`);
    const readers = Array.from({ length: 6 }, () =>
      startProcess('curl', ['-sN', '--cacert', at('old.crt'), `${base}water/events`]),
    );
    onTestFinished(async () => void (await Promise.all(readers.map((reader) => reader.stop()))));
    const updates = () => readers.map((reader) => reader.output().match(/^event: update$/gm)?.length ?? 0);
    const riseForAll = async () => {
      const before = updates();
      rise();
      await eventually(
        () =>
          expect(updates().map((count, index) => count > (before[index] as number))).toEqual(before.map(() => true)),
        { forMs: 20_000 },
      );
      expect(readers.map(({ child }) => child.exitCode)).toEqual(readers.map(() => null));
    };
    await eventually(() =>
      expect(readers.map((reader) => reader.output())).toEqual(readers.map(() => expect.stringContaining('retry:'))),
    );
    await riseForAll();
    const reload = async (line: RegExp) => {
      const { length } = server.errorOutput();
      server.child.kill('SIGHUP');
      await eventually(() => expect(server.errorOutput().slice(length)).toMatch(line), { forMs: 20_000 });
    };
    // Each worker takes some of the connections.
    const trusts = (trusted: string) => Array.from({ length: 8 }, () => curl(trusted, 'water/latest').status);

    use('new');
    await reload(/"certificate":"exchanged","added":\[\],"removed":\[\],"changed":\[\],"msg":"configuration reloaded"/);
    await eventually(() => expect(trusts('new')).toEqual(Array(8).fill(0)), { forMs: 10_000 });
    expect(trusts('old')).not.toContain(0);
    await riseForAll();

    use('old', 'new');
    await reload(
      /"code":"ERR_CONFIG_INVALID","message":"[^"]*live\.key: it cannot be the key of tls \(it belongs to another certificate\)[^"]*","msg":"reload failed"/,
    );
    writeFileSync(at('live.crt'), 'nonsense');
    await reload(/live\.crt: it cannot be the cert of tls .*"msg":"reload failed"/);
    rmSync(at('live.crt'));
    await reload(/live\.crt: it cannot be read \(ENOENT\).*"msg":"reload failed"/);
    expect(trusts('new')).toEqual(Array(8).fill(0));
    expect(server.errorOutput()).not.toContain('PRIVATE KEY');
    configure('');
    await reload(/"keys":\["tls"\],"msg":"restart needed"/);
    expect(trusts('new')).toEqual(Array(8).fill(0));
    await riseForAll();
    // Who speaks HTTP is not kept waiting.
    expect(spawnSync('curl', ['-s', '-m', '10', `http://localhost:${port}/water/latest`]).status).not.toBe(28);
  },
);

test(
  'DOC-90 follow and query read a private stream by HTTPS, with the token of an environment variable',
  PATIENT,
  async () => {
    const { folder, base, at } = await prepared();
    const server = startCommand(['serve', 'config.yml', '--host', 'localhost'], folder);
    onTestFinished(server.stop);
    await server.prints(/It listens on/);
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: at('old.crt'), READER: TOKEN };
    const ran = async (...args: string[]) => {
      const command = startProcess(process.execPath, [COMMAND, ...args], { env });
      return { code: await command.ended, output: command.output(), errorOutput: command.errorOutput() };
    };
    const by = ['--count', '1', '--token-env', 'READER'];
    const followed = await ran('follow', `${base}secret`, '--mal', '1', '--format', 'nq', ...by);
    expect([followed.code, followed.output]).toEqual([0, expect.stringContaining('a.example/level')]);
    const sparql = 'SELECT ?level { ?s <http://a.example/level> ?level }';
    const answered = await ran('query', `${base}secret`, sparql, '--mal', '5', ...by);
    expect([answered.code, answered.output]).toEqual([0, expect.stringContaining('"value":"1"')]);
    const asked = [`${base}secret/sparql`, '-G', '--data-urlencode', `query=${sparql}`];
    const curl = (...more: string[]) =>
      String(spawnSync('curl', ['-si', '--cacert', at('old.crt'), ...asked, ...more]).stdout);
    expect(curl()).toMatch(/^HTTP\/1\.1 401 /);
    const answer = curl('-H', `authorization: Bearer ${TOKEN}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/\r\ncache-control: private, max-age=/i);
    expect(answer).toMatch(/\r\nvary: Accept, Authorization\r\n/i);
    expect(answer).not.toMatch(/x-accel-expires/i);
  },
);

test('a start without a usable certificate ends, and names the file', PATIENT, async () => {
  const { folder, at } = await prepared();
  rmSync(at('live.key'));
  const server = startCommand(['serve', 'config.yml', '--host', 'localhost'], folder);
  expect([await server.ended, server.errorOutput()]).toEqual([
    1,
    expect.stringContaining(`${at('live.key')}: it cannot be read (ENOENT)`),
  ]);
});
