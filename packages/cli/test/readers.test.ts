import { hashToken } from '@ldes-live/server';
import { reservedPort } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';
import { main } from '../src/index.ts';
import { mistakesOf, parse } from './config/parsed-config.ts';
import { fakeProcess } from './fake-process.ts';
import { configFile } from './run-command.ts';

const PATIENT = { timeout: 30_000 };
const READER = 'reader-token';

async function run(env: Record<string, string>, ...args: string[]) {
  const process = { ...fakeProcess(args), env };
  const code = await main(process);
  return { code, output: process.stdout.text, errorOutput: process.stderr.text };
}

/** Serves a private stream of one member, whose readers come from an environment variable. */
async function servedPrivately() {
  const port = await reservedPort();
  const base = `http://127.0.0.1:${port}/`;
  const post = `source: { post: true, tokens: ["${hashToken('poster')}"] }`;
  const file = await configFile(
    `publicUrl: ${base}\nstore: memory\nstreams:\n  secret: { ${post}, readers: { tokens: ["\${READERS}"] }, queries: true }\n`,
  );
  const process = { ...fakeProcess(['serve', file, '--port', String(port)]), env: { READERS: hashToken(READER) } };
  const ended = main(process);
  onTestFinished(async () => {
    process.signal('SIGTERM');
    expect(await ended).toBe(0);
  });
  await process.stdout.until(/It listens on/);
  const headers = { authorization: 'Bearer poster', 'content-type': 'text/turtle' };
  const body = '<http://a.example/gauges/1> <http://a.example/level> 2.5 .';
  expect((await fetch(`${base}secret`, { method: 'POST', headers, body })).status).toBe(201);
  return { base, url: `${base}secret`, process };
}

test(
  'DOC-90 follow and check read a private stream by the token of an environment variable, and only by that',
  PATIENT,
  async () => {
    const { base, url } = await servedPrivately();
    const env = { SECRET_TOKEN: READER, OTHER: 'other', EMPTY: '' };
    const by = ['--token-env', 'SECRET_TOKEN'];
    for (const mal of ['0.5', '60']) {
      const followed = await run(env, 'follow', url, '--mal', mal, '--format', 'nq', '--count', '1', ...by);
      expect([followed.code, followed.output]).toEqual([0, expect.stringContaining('gauges/1')]);
    }
    const sparql = 'SELECT ?level { ?s <http://a.example/level> ?level }';
    const checked = await run(env, 'check', url, '--format', 'json', ...by);
    expect(JSON.parse(checked.output)).toMatchObject({ errors: 0, warnings: 0 });
    expect(checked.output + checked.errorOutput).not.toContain(READER);

    const refused = await run(
      env,
      'follow',
      url,
      '--mal',
      '5',
      '--timeout',
      '2',
      '--count',
      '1',
      '--token-env',
      'OTHER',
    );
    expect([refused.code, refused.errorOutput]).toEqual([1, expect.stringContaining('401')]);
    expect((await run(env, 'check', url)).code).toBe(1);
    for (const [name, problem] of [
      ['MISSING', 'is not set'],
      ['EMPTY', 'holds no token'],
    ] as const) {
      const failed = await run(env, 'follow', url, '--mal', '5', '--token-env', name);
      expect([failed.code, failed.errorOutput]).toEqual([2, expect.stringContaining(`${name}, which ${problem}`)]);
    }
    const elsewhere = await run(env, 'query', url, 'http://b.example/s', sparql, '--mal', '5', ...by);
    expect([elsewhere.code, elsewhere.errorOutput]).toEqual([2, expect.stringContaining('URLs of one server')]);

    const asked = await fetch(`${url}/sparql?query=${encodeURIComponent(sparql)}`);
    expect([asked.status, asked.headers.get('cache-control')]).toEqual([401, 'no-store']);
    expect(await (await fetch(base, { headers: { accept: 'text/turtle' } })).text()).not.toContain('secret');
  },
);

test('tokens of readers are hashes that messages do not show', () => {
  const config = (tokens: string) =>
    `{ publicUrl: "http://a/", streams: { a: { source: { gtfs: "http://b/" }, readers: ${tokens} } } }`;
  expect(parse(config(`{ tokens: ["${hashToken('a')}"] }`)).streams.a?.readers).toEqual({
    tokenHashes: [hashToken('a')],
  });
  for (const wrong of [
    '{ tokens: ["secret-value"] }',
    '{ tokens: secret-value }',
    '{ tokens: [] }',
    '{}',
    '{ token: 1 }',
  ]) {
    expect(() => parse(config(wrong))).toThrow(/readers/);
  }
  expect(mistakesOf(config('{ tokens: ["secret-value"] }'))).toEqual([
    expect.stringMatching(/found a text, .*SHA-256/),
  ]);
});
