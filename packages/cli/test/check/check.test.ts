import { readFileSync } from 'node:fs';
import { ldes } from '@ldes-live/rdf-stream';
import { httpServer } from '@ldes-live/test-support/net';
import { type CheckLimits, checkStream, type PollingCost } from 'ldes-live/check';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type CheckOptions, check } from '../../src/check/check.ts';
import { main } from '../../src/index.ts';
import { fakeProcess, Recorder } from '../fake-process.ts';
import {
  answers,
  by,
  caching,
  content,
  error,
  FaultyServer,
  field,
  handles,
  type Plant,
  ROOT,
  redirects,
  says,
  unscheduled,
  without,
} from './faulty-server.ts';

let server: FaultyServer;
beforeEach(async () => {
  server = await new FaultyServer().listen();
});

const quickly = (limits: Partial<CheckLimits> = {}) => ({ clock: Date.now, limits: { pauseMs: 0, ...limits } });

async function runCheck(options: Partial<CheckOptions> = {}) {
  const [stdout, stderr] = [new Recorder(), new Recorder()];
  const interrupted = new AbortController().signal;
  const code = await check(
    { url: server.root, pages: 20, format: 'text', ...options },
    { env: {}, stdout, stderr, interrupted, clock: Date.now, random: () => 0 },
    { pauseMs: 0 },
  );
  return { text: stdout.text, errorText: stderr.text, code };
}

test('a stream that keeps the rules ends with 0 and says how far it went, and what polling costs', async () => {
  const { code, text, errorText } = await runCheck({ pages: 2 });
  expect(text).toMatch(
    /^Checked http:\S+\/s#stream\nRead 2 of the 4 known pages: \d+ requests, [\d.]+ k?B, [\d.]+ m?s\.\n/,
  );
  expect(text).toContain('every second costs 40 requests an update. Polling by Next-Update costs\n  2.');
  expect(text).toMatch(/No findings: what was read follows all \d+ rules\.\n$/);
  expect(text).not.toContain('\u001b');
  expect(errorText).toBe('');
  expect(code).toBe(0);
  expect(server.maxAtATime).toBe(1);
  for (const { headers } of server.log) expect(headers['user-agent']).toMatch(/^ldes-live\/\d/);
});

test.each([
  ['advice', 0, answers('*', field('access-control-allow-origin')), 'Advice\n  CHK-68  Scripts'],
  ['warnings', 3, answers('/s', field('etag')), 'Warnings\n  CHK-51  A mutable'],
  ['errors', 1, answers('/s', caching('max-age=20, max-age=20')), 'Errors\n  CHK-45  Each'],
  ['no stream', 1, answers('/s', error(404)), 'No stream was'],
])('%s: ends with %d', async (_, expected, plant, found) => {
  server.plant(plant);
  const { code, text } = await runCheck({ pages: 1 });
  expect(text).toContain(found);
  expect(code).toBe(expected);
});

test('Ctrl-C ends it with what it has', async () => {
  const process = fakeProcess(['check', server.root]);
  server.plant(handles('/s/p1', () => process.signal('SIGINT')));
  expect(await main(process)).toBe(0);
  expect(process.stdout.text).toMatch(/Read \d of the 4 known pages/);
  expect(process.stdout.text).toContain('The check ended early: it was interrupted.');
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
  server.plant(answers('/s/p1', content('text/turtle', '\u001b[2J<')));
  const { text } = await runCheck();
  expect(text).toContain('CHK-6 ');
  expect(text).not.toContain('\u001b');
});

test('a program has what the command prints as JSON', async () => {
  server.plant(answers('/s', field('etag')));
  const doing: string[] = [];
  const options = { ...quickly({ pages: 1 }), hosts: 'any', onProgress: (text: string) => doing.push(text) } as const;
  const report = await checkStream(server.root, options);
  expect(doing[0]).toBe(`reading ${server.root}`);
  const { code, text } = await runCheck({ format: 'json', pages: 1 });
  expect(code).toBe(3);
  const { extent, polling, ...printed } = JSON.parse(text);
  expect(JSON.parse(JSON.stringify(report))).toMatchObject({ ...printed, polling });
  expect(polling).toMatchObject({ documents: 1, intervalSeconds: 20 });
  expect(extent).toMatchObject({ pagesRead: 1, pagesKnown: 4 });
  const source = 'LDES Server Primer, caching';
  const heading = { id: 'CHK-51', severity: 'warning', title: 'A mutable document has an ETag', source };
  const [url, stream] = [server.root, `${server.root}#stream`];
  const findings = [{ ...heading, observations: [{ url, saw: 'no ETag' }] }];
  expect(printed).toEqual({ url, root: url, stream, errors: 0, warnings: 1, advice: 0, findings });
  await expect(checkStream('a stream', quickly())).rejects.toMatchObject({ code: 'ERR_INVALID_URL' });
});

test('a program that checks loads neither the server nor the rest of the command', () => {
  const [loaded, packages] = [new Set<string>(), new Set<string>()];
  const load = (url: URL) => {
    if (loaded.has(url.href)) return;
    loaded.add(url.href);
    for (const [, name = ''] of readFileSync(url, 'utf8').matchAll(/^(?! \*).*from '([^']+)'/gm)) {
      if (name.startsWith('.')) load(new URL(name, url));
      else if (!name.startsWith('node:')) packages.add(name);
    }
  };
  load(new URL('../../src/check/check-stream.ts', import.meta.url));
  expect([...loaded].filter((url) => !/\/src\/(check\/|hosts\.ts)/.test(url))).toEqual([]);
  const own = ['client', 'latency', 'rdf-stream'].map((name) => `@ldes-live/${name}`);
  expect([...packages].sort()).toEqual([...own, '@rdfjs/types']);
});

test('stops at a document that is too large, or takes too long, and says so', async () => {
  const seen = async (limits: Partial<CheckLimits>) =>
    (await checkStream(server.root, quickly({ pages: 1, ...limits }))).findings[0]?.observations[0]?.saw;
  expect(await seen({ documentBytes: 100 })).toMatch(/larger than 100 bytes/);
  const { extent } = await checkStream(server.root, quickly({ totalQuads: 10 }));
  expect(extent).toMatchObject({ pagesRead: 1, stopped: '10 statements were read' });
  server.plant(handles('/s', () => undefined));
  expect(await seen({ responseMs: 30 })).toBe('no response: it took longer than 0.03 s');
});

test.each([
  ['ftp://127.0.0.1/s', 1, 'status 302 to ftp://127.0.0.1/s'],
  [undefined, 1, 'status 302'],
  ['/s', 11, 'status 302 to /s'],
  ['http://%ff@127.0.0.1/', 2, 'no response: it cannot be requested: URI malformed'],
])('a redirect to %s is a finding after %d requests', async (location, requests, saw) => {
  server.plant(redirects('/s', location));
  const { findings, extent } = await checkStream(server.root, quickly());
  expect(findings).toMatchObject([{ id: 'CHK-1', observations: [{ saw }] }]);
  expect(extent.requests).toBe(requests);
});

test('a redirect is followed ten times in a row, and with a user name that can be read', async () => {
  for (let hop = 0; hop < 10; hop += 1) server.plant(redirects(`/hop${hop}`, `/hop${hop + 1}`));
  server.plant([redirects('/hop10', '/s'), redirects('/named', ROOT.replace('//', '//a%20reader:%3A@'))]);
  const rootOf = async (path: string) => (await checkStream(`${server.base}${path}`, quickly({ pages: 1 }))).root;
  expect(await rootOf('/hop1')).toBe(server.root);
  expect(await rootOf('/hop0')).toBeUndefined();
  await rootOf('/named');
  const named = server.log.find(({ headers }) => headers.authorization !== undefined);
  expect(named).toMatchObject({ url: '/s', headers: { authorization: `Basic ${btoa('a reader::')}` } });
});

// Work that grows with the square of these would outlast the patience of the test many times over.
const COUNT = 20_000;

test('a root that leads to very many nodes and has very many members is checked', async () => {
  const large = await httpServer((request, response) => {
    if (request.url !== '/s') return response.writeHead(404).end();
    const lines = [
      `@base <${large.url}s> . @prefix tree: <https://w3id.org/tree#> . @prefix ldes: <https://w3id.org/ldes#> .`,
      '<#stream> tree:view <> ; ldes:timestampPath <#t> .',
    ];
    for (let index = 0; index < COUNT; index += 1) {
      lines.push(
        `<> tree:relation [ a tree:Relation ; tree:node <s/${index}> ] . <#stream> tree:member <#m${index}> .`,
      );
    }
    return response.writeHead(200, { 'content-type': 'text/turtle' }).end(lines.join('\n'));
  });
  onTestFinished(large.close);
  const { extent, findings } = await checkStream(`${large.url}s`, quickly({ pages: 2 }));
  expect(extent.pagesKnown).toBe(COUNT + 1);
  expect(findings.find(({ id }) => id === 'CHK-70')?.observations[0]?.saw).toBe(`${COUNT} members`);
});

const changing = (change: ReturnType<typeof unscheduled>) =>
  answers('*', (answer, asked) => !/p[12]$/.test(asked.path) && change(answer, asked));
const unstated = says('/s', without(by(ldes.pollingInterval)));
const stated = { documents: 2, intervalSeconds: 20, intervalFrom: 'ldes:pollingInterval' } as const;
const costs = { unscheduledRequests: 40, scheduledRequests: 2, stalenessSeconds: 20 };
const seldom = { documents: 2, intervalSeconds: 1, intervalFrom: 'the times of members' } as const;

test.each<[string, Partial<PollingCost>, ...Plant[]]>([
  ['by what the stream states', { ...stated, scheduleFrom: 'Next-Update', ...costs }],
  ['by the next update, where no interval is stated', { intervalFrom: 'Next-Update' }, unstated],
  ['by the times of members', { ...seldom, scheduleFrom: undefined }, unstated, changing(unscheduled())],
  ['by max-age', { scheduleFrom: 'max-age', stalenessSeconds: 5 }, changing(unscheduled('max-age=5'))],
  [
    'by max-age, and what is stale',
    { scheduleFrom: 'max-age', stalenessSeconds: 65 },
    changing(unscheduled('max-age=5, stale-while-revalidate=60')),
  ],
  ['by the interval alone', { ...stated, scheduleFrom: 'ldes:pollingInterval' }, changing(unscheduled('no-cache'))],
])('what polling costs is computed %s', async (_, expected, ...plants) => {
  server.plant(plants);
  const { polling } = await checkStream(server.root, quickly());
  expect(polling).toMatchObject(expected);
});
