import { afterEach, beforeEach, expect, test } from 'vitest';
import { check, checkStream } from '../../src/check/check.ts';
import type { CheckCommand } from '../../src/command-line/check-command.ts';
import { parseCommandLine } from '../../src/command-line.ts';
import { main } from '../../src/main.ts';
import { fakeProcess, Recorder } from '../fake-process.ts';
import { caching, field, redirects } from './faults/edits.ts';
import { FaultyServer, problem } from './faulty-server.ts';

let server: FaultyServer;
beforeEach(async () => {
  server = await new FaultyServer().listen();
});
afterEach(() => server.close());

const edge = () => ({
  env: {},
  stdout: new Recorder(),
  stderr: new Recorder(),
  interrupted: new AbortController().signal,
  clock: Date.now,
  random: Math.random,
});

async function runCheck(...args: string[]) {
  const around = edge();
  const code = await check(parseCommandLine(['check', ...args]) as CheckCommand, around, { pauseMs: 0 });
  return { ...around, code };
}

test('a stream that keeps the rules ends with 0 and says how far it went, and what polling costs', async () => {
  const { code, stdout, stderr } = await runCheck(server.root, '--pages', '2');
  expect(stdout.text).toMatch(
    /^Checked http:\S+\/s#stream\nRead 2 of the 4 known pages: \d+ requests, \d+ (bytes|kB), [\d.]+ s\.\n/,
  );
  expect(stdout.text).toContain('each second costs 40 requests an update. Coming back by Next-Update costs 2.');
  expect(stdout.text).toMatch(/Nothing found: all \d+ rules are kept, as far as it went\.\n$/);
  expect(stdout.text).not.toContain('\u001b');
  expect(stderr.text).toBe('');
  expect(code).toBe(0);
  expect(server.mostAtATime).toBe(1);
  for (const { headers } of server.log) expect(headers['user-agent']).toMatch(/^ldes-live\/\d/);
});

test.each([
  ['advice', 0, (s: FaultyServer) => s.answers('*', field('access-control-allow-origin')), 'Advice\n  CHK-68  Pages'],
  ['warnings', 3, (s: FaultyServer) => s.answers('/s', caching('public,max-age=20')), 'Warnings\n  CHK-44  Dir'],
  ['errors', 1, (s: FaultyServer) => s.answers('/s', caching('max-age=20, max-age=20')), 'Errors\n  CHK-45  Dir'],
  [
    'no stream',
    1,
    (s: FaultyServer) => s.answers('/s', (answer) => Object.assign(answer, problem(404))),
    'No stream was',
  ],
])('%s: ends with %d', async (_, expected, plant, text) => {
  plant(server);
  const { code, stdout } = await runCheck(server.root, '--pages', '1');
  expect(stdout.text).toContain(text);
  expect(code).toBe(expected);
});

test('JSON has the findings, the polling and the extent', async () => {
  server.answers('/s', caching('public,max-age=20'));
  const { code, stdout } = await runCheck(server.root, '--format', 'json', '--pages', '1');
  expect(code).toBe(3);
  expect(JSON.parse(stdout.text)).toMatchObject({
    url: server.root,
    root: server.root,
    stream: `${server.root}#stream`,
    errors: 0,
    warnings: 1,
    advice: 0,
    findings: [
      {
        id: 'CHK-44',
        severity: 'warning',
        title: expect.stringContaining('comma'),
        observations: [{ url: server.root, saw: 'Cache-Control: public,max-age=20' }],
      },
    ],
    polling: { documents: 1, intervalSeconds: 20, unscheduledRequests: 20, scheduledRequests: 1, stalenessSeconds: 20 },
    extent: { pagesRead: 1, pagesKnown: 4 },
  });
});

test('Ctrl-C ends it with what it has', async () => {
  const process = fakeProcess(['check', server.root]);
  server.handles('/s/p1', () => void process.signal('SIGINT'));
  expect(await main(process)).toBe(0);
  expect(process.stdout.text).toMatch(/Read \d of the 4 known pages/);
  expect(process.stdout.text).toContain('It ended early: it was interrupted.');
});

test('a terminal is told what is being done, in colour, and left clean', async () => {
  const terminal = () => Object.assign(new Recorder(), { isTTY: true, columns: 60 });
  const stderr = terminal();
  const process = { ...fakeProcess(['check', server.root, '--pages', '1'], terminal()), stderr };
  expect(await main(process)).toBe(0);
  expect(process.stdout.text).toContain('\u001b[1mChecked');
  expect(process.stdout.text.split('\n').every((line) => line.length <= 60 + 8)).toBe(true);
  expect(stderr.text).toContain(`reading ${server.root}`);
  expect(stderr.text.endsWith('\r\u001b[K')).toBe(true);
});

test('what a server says cannot move the cursor of a terminal', async () => {
  server.answers('/s/p1', (answer) =>
    Object.assign(answer, { body: '\u001b[2J<', fields: { ...answer.fields, 'content-type': 'text/turtle' } }),
  );
  const { stdout } = await runCheck(server.root);
  expect(stdout.text).toContain('CHK-6 ');
  expect(stdout.text).not.toContain('\u001b');
});

test('stops at a document that is too large, or takes too long, and says so', async () => {
  const seen = async (limits: object) =>
    (await checkStream(server.root, { pauseMs: 0, pages: 1, ...limits }, edge())).findings[0]?.observations[0]?.saw;
  expect(await seen({ documentBytes: 100 })).toMatch(/larger than 100 bytes/);
  server.handles('/s', () => undefined);
  expect(await seen({ responseMs: 30 })).toBe('no response: it took longer than 0.03 s');
});

test.each([
  ['ftp://127.0.0.1/s', 1, 'status 302 to ftp://127.0.0.1/s'],
  [undefined, 1, 'status 302'],
  ['/s', 11, 'status 302 to /s'],
  ['http://%ff@127.0.0.1/', 2, 'no response: it cannot be asked for: URI malformed'],
])('a redirect to %s is a finding after %d requests', async (location, requests, saw) => {
  redirects(server, '/s', location);
  const { findings, extent } = await checkStream(server.root, { pauseMs: 0 }, edge());
  expect(findings.map(({ rule, observations }) => [rule.id, observations.map((seen) => seen.saw)])).toEqual([
    ['CHK-1', [saw]],
  ]);
  expect(extent.requests).toBe(requests);
});

test('a redirect is followed ten times in a row, and with a user name that can be read', async () => {
  for (let hop = 1; hop <= 10; hop += 1) redirects(server, `/hop${hop}`, hop === 10 ? '/s' : `/hop${hop + 1}`);
  redirects(server, '/hop0', '/hop1');
  redirects(server, '/named', server.root.replace('//', '//a%20reader:%3A@'));
  const rootOf = async (path: string) =>
    (await checkStream(`${server.base}${path}`, { pauseMs: 0, pages: 1 }, edge())).evidence.nodes[0]?.document.url;
  expect(await rootOf('/hop1')).toBe(server.root);
  expect(await rootOf('/hop0')).toBeUndefined();
  await rootOf('/named');
  const named = server.log.find(({ headers }) => headers.authorization !== undefined);
  expect(named).toMatchObject({ url: '/s', headers: { authorization: `Basic ${btoa('a reader::')}` } });
});
