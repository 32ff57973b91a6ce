import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseQuads } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { httpServer } from '@ldes-live/test-support/net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { main } from '../src/index.ts';
import { type FakeProcess, FullRecorder, fakeProcess, Recorder } from './fake-process.ts';
import { configFile, served } from './run-command.ts';

let demo: FakeProcess;
let ended: Promise<number>;
let base: string;
beforeAll(async () => {
  demo = fakeProcess(['serve', '--demo', '--port', '0']);
  ended = main(demo);
  base = (await demo.stdout.until(/publishes (http:\/\/localhost:\d+\/)\n/))[1] as string;
}, 20_000);
afterAll(async () => {
  demo.signal('SIGTERM');
  expect(await ended).toBe(0);
}, 20_000);

describe('the demonstration', () => {
  test('says where its streams are and what to try, and that no feed has a problem', () => {
    for (const name of ['vehicles', 'trips', 'alerts', 'timetable'])
      expect(demo.stdout.text).toContain(`  ${base}${name} `);
    expect(demo.stdout.text).toContain(`curl -H 'accept: text/turtle' ${base}vehicles/latest`);
    expect(demo.stdout.text).toContain(`npx ldes-live follow ${base}vehicles --mal`);
    expect(demo.stdout.text).toContain(`Query it with SPARQL at ${base}vehicles/sparql`);
    expect(demo.stdout.text).toContain(`npx ldes-live query ${base}vehicles --mal 10 'SELECT `);
    expect(demo.stderr.text).not.toMatch(/"level":[456]0/);
  });

  test('LOG-1 `reload ignored` is logged at SIGHUP, which does not end it', async () => {
    demo.signal('SIGHUP');
    await demo.stderr.until(/"level":30,.*"msg":"reload ignored"/);
    expect((await fetch(`${base}health`)).status).toBe(200);
  });

  test('has more than ten vehicles from its first moment', async () => {
    const response = await fetch(`${base}vehicles/latest`, { headers: { accept: 'text/turtle' } });
    const quads = await parseQuads(await response.text(), 'turtle', response.url);
    const vehicles = quads.filter(({ object }) => object.value.endsWith('/Vehicle'));
    expect(vehicles.length).toBeGreaterThan(10);
  });

  test('the lines, stops and vehicles that its feeds name are documents', async () => {
    const text = async (url: string) => (await fetch(url, { headers: { accept: 'application/n-quads' } })).text();
    const feeds = await Promise.all(['vehicles', 'trips', 'alerts'].map((name) => text(`${base}${name}/latest`)));
    const kinds = 'timetable/entities/routes|timetable/entities/stops|vehicles/entities/vehicles';
    const matches = feeds.join('').matchAll(new RegExp(`<(${base}(${kinds})/[^>]+)>`, 'g'));
    const named = new Map([...matches].map(([, url = '', kind = '']) => [url, kind]));
    expect([...new Set(named.values())].sort()).toEqual(kinds.split('|').sort());
    const documents = await Promise.all([...named.keys()].map(async (url) => [url, await text(url)] as const));
    // A trip names its vehicle some seconds before that reports, and may still name one that has left.
    const later = await text(`${base}vehicles/latest`);
    const reports = (url: string) => [feeds[0], later].every((text) => text?.includes(`<${url}>`));
    const there = documents.filter(([url]) => named.get(url) !== 'vehicles/entities/vehicles' || reports(url));
    for (const [url, document] of there) expect(document, url).toContain(`<${url}>`);
    expect(there.filter(([url]) => url.includes('/vehicles/')).length).toBeGreaterThan(10);
    const line = [...named.keys()].find((url) => url.includes('/routes/')) as string;
    expect(await text(line)).toMatch(/terms#color> "[0-9a-f]{6}"/);
  });

  test('says what it keeps, and under which licence it is', async () => {
    const quadsOf = async (url: string) => {
      const response = await fetch(url, { headers: { accept: 'text/turtle' } });
      return parseQuads(await response.text(), 'turtle', url);
    };
    const root = await quadsOf(`${base}alerts`);
    const objectsOf = (term: string) =>
      root.filter(({ predicate }) => predicate.value.endsWith(`#${term}`)).map(({ object }) => object.value);
    expect(objectsOf('fullLogDuration')).toEqual(['PT1H']);
    expect(objectsOf('versionAmount')).toContain('1');
    const licences = (await quadsOf(base)).filter(({ predicate }) => predicate.value.endsWith('/license'));
    expect(new Set(licences.map(({ object }) => object.value))).toEqual(
      new Set(['https://creativecommons.org/publicdomain/zero/1.0/']),
    );
    const health = (await (await fetch(`${base}health`)).json()) as { streams: Record<string, { heldFrom: number }> };
    expect(health.streams.alerts?.heldFrom).toBe(1);
  });

  test('a server that is run by the command tells of its sources and of its process', async () => {
    let lines: string[] = [];
    const numbers = (name: string) =>
      lines.filter((line) => line.startsWith(`${name}{`)).map((line) => Number(line.slice(line.lastIndexOf(' '))));
    // A server is there before it has read its sources.
    const sourcesRead = async () => {
      lines = (await (await fetch(`${base}metrics`)).text()).split('\n');
      expect(numbers('ldes_live_source_up')).toEqual([1, 1, 1, 1]);
    };
    await eventually(sourcesRead, { forMs: 30_000, everyMs: 100 });
    expect(Math.min(...numbers('ldes_live_log_entities'))).toBeGreaterThan(0);
    for (const name of ['vehicles', 'trips', 'alerts', 'timetable']) {
      expect(lines.filter((line) => line.includes(`_polls_total{stream="${name}",`))).toHaveLength(2);
    }
    const ages = numbers('ldes_live_source_age_seconds');
    expect(ages).toHaveLength(4);
    expect(Math.min(...ages)).toBeGreaterThanOrEqual(0);
    for (const name of ['process_resident_memory_bytes', 'ldes_live_process_event_loop_busy_seconds_total']) {
      expect(numbers(name)[0]).toBeGreaterThan(0);
    }
  });
});

async function follow(...args: string[]): Promise<FakeProcess> {
  const process = fakeProcess(['follow', ...args]);
  expect(await main(process)).toBe(0);
  return process;
}

describe('follow', () => {
  test('prints a line for what arrives together, with mode and reason', async () => {
    const { stdout, stderr } = await follow(`${base}vehicles`, '--mal', '60', '--count', '12');
    expect(stdout.text).toMatch(
      /^(\d\d:\d\d:\d\d {2}pull: (?!the reader).*\n)+\d\d:\d\d:\d\d {2}pull {2}12 new\n {10}(Tram|Bus) \d+: .*speed \d/,
    );
    expect(stderr.text).toMatch(
      /^12 changes, last by pull: \d+ requests, \d+ bytes received; \d+ updates?(, at most [\d.]+ m?s late)?, 0 over the MAL of 60 s(; the next one is expected within [\d.]+ m?s)?; continue with --from \w+-\d+\n$/,
    );
  });

  test.each([
    ['1', 'push'],
    ['60', 'pull'],
  ])('says why a MAL of %s s is kept by %s', async (mal, mode) => {
    const process = fakeProcess(['follow', `${base}vehicles`, '--mal', mal]);
    const following = main(process);
    await process.stdout.until(new RegExp(`  ${mode}: MAL ${mal} s is (not )?below the break-even`));
    process.signal('SIGINT');
    expect(await following).toBe(0);
    expect(process.stderr.text).toContain(`last by ${mode}`);
  });

  test('prints JSON-LD, a document a line', async () => {
    const { stdout } = await follow(`${base}trips`, '--mal', '60', '--count', '3', '--format', 'jsonld');
    const lines = stdout.text.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const quads = await parseQuads(line, 'jsonld', base);
      expect(quads.some(({ object }) => object.value.endsWith('#TripUpdate'))).toBe(true);
    }
  });

  test('goes on where its state file says', async () => {
    const state = join(await temporaryFolder(), 'state.json');
    const args = [`${base}vehicles`, '--mal', '60', '--format', 'nq', '--state', state];
    const sequences = ({ stdout }: FakeProcess) =>
      [...stdout.text.matchAll(/#sequence> "(\d+)"/g)].map(([, sequence]) => Number(sequence));
    const first = sequences(await follow(...args, '--from', 'start', '--count', '4'));
    expect(JSON.parse(await readFile(state, 'utf8'))).toMatchObject({ url: `${base}vehicles`, cursor: /-4$/ });
    const second = sequences(await follow(...args, '--count', '3'));
    expect([...first, ...second]).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('ends when its time is over: well, or as an error where changes were to come', async () => {
    const { stderr } = await follow(`${base}vehicles`, '--mal', '60', '--timeout', '1');
    expect(stderr.text).toMatch(/^\d+ changes, /);
    const process = fakeProcess(['follow', `${base}vehicles`, '--mal', '60', '--timeout', '0.5', '--count', '99999']);
    expect(await main(process)).toBe(1);
    expect(process.stderr.text).toMatch(/ERR_TIMEOUT: .* delivered \d+ of 99999 changes in 0\.5 s \(.*MAL 60 s/);
  });

  test('names a state file that cannot be written, before anything is asked', async () => {
    const args = ['--mal', '60', '--state', join(await temporaryFolder(), 'none', 'state.json')];
    const process = fakeProcess(['follow', 'http://127.0.0.1:1/', ...args]);
    expect(await main(process)).toBe(1);
    expect(process.stderr.text).toMatch(/^ERR_STATE_FILE: .*ENOENT/);
  });

  test('ends quietly when its reader has enough', async () => {
    const leaving = new (class extends Recorder {
      override _write(_chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      }
    })();
    const process = fakeProcess(['follow', `${base}vehicles`, '--mal', '60', '--format', 'nq'], leaving);
    expect(await main(process)).toBe(0);
    expect(process.stderr.text).not.toContain('changes');
  });

  test('names an output that cannot be written', async () => {
    const args = ['follow', `${base}vehicles`, '--mal', '60', '--format', 'nq'];
    const process = fakeProcess(args, new FullRecorder());
    expect(await main(process)).toBe(1);
    expect(process.stderr.text).toContain('ERR_OUTPUT: The output cannot be written (ENOSPC)');
  });

  test('names a stream that is not there', async () => {
    const process = fakeProcess(['follow', `${base}trams`, '--mal', '1']);
    expect(await main(process)).toBe(1);
    expect(process.stderr.text).toMatch(/^ERR_RESPONSE_STATUS: .*404/);
  });
});

describe('a configuration', () => {
  test('is served though a feed is broken, which is named once; SIGINT ends it', async () => {
    const { url, close } = await httpServer((_, response) => void response.end('<html>'));
    onTestFinished(close);
    const feed = url.replace(/\/$/, '');
    const file = await configFile(
      `publicUrl: http://live.example/\nstore: ./store\nstreams:\n  a:\n    title: Broken\n    updates: unpredictable\n` +
        `    source: { gtfsRt: { url: "${feed}/vp.pb", keys: { trip: [trip_id] } }, every: 100ms }\n` +
        `  b:\n    source: { gtfsRt: "http://127.0.0.1:1/", every: 1h }\n` +
        `  c:\n    updates: { every: 15m }\n    source: { gtfsRt: "${feed}/", every: 1h, origin: small, limits: { bytes: 5 } }\n`,
    );
    const { process, ended, base } = await served(file);
    expect(process.stdout.text).toMatch(/ and keeps its data in .*\/store\.\n/);
    expect(process.stdout.text).toContain('  http://live.example/a  Broken\n');
    await process.stderr.until(/"stream":"c","origin":"small","code":"ERR_FEED_TOO_LARGE".*"msg":"source failing"/);
    await process.stderr.until(/"stream":"b","origin":"http:\/\/127\.0\.0\.1:1\/","code":"ERR_FEED_UNREACHABLE"/);
    expect(
      process.stderr.text.match(/"origin":"http:\/\/127\.0\.0\.1:\d+\/vp\.pb","code":"ERR_FEED_MALFORMED"/g),
    ).toHaveLength(1);
    const latest = await fetch(`${base}a/latest`);
    expect(latest.status).toBe(200);
    // The declared unpredictability, not the polling, is what readers are told.
    expect(latest.headers.has('next-update')).toBe(false);
    const root = await (await fetch(`${base}c`, { headers: { accept: 'text/turtle' } })).text();
    expect(root).toMatch(/pollingInterval\s+("900"|900\b)/);
    expect(await (await fetch(`${base}health`)).text()).toContain('ERR_FEED_MALFORMED');
    process.signal('SIGINT');
    expect(await ended).toBe(0);
    // Whoever asks again does not want to wait.
    expect(process.signal('SIGINT')).toBe(false);
  }, 20_000);

  test('ends at once when it is interrupted before it listens', async () => {
    let ask = () => {};
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    const { url, close } = await httpServer(() => ask());
    onTestFinished(close);
    const streams = `streams: { a: { source: { gtfsRt: "${url}", every: 1s } } }`;
    const file = await configFile(`publicUrl: http://live.example/\nstore: memory\n${streams}`);
    const process = fakeProcess(['serve', file, '--port', '0']);
    const serving = main(process);
    await asked;
    process.signal('SIGTERM');
    expect(await serving).toBe(0);
    expect(process.stdout.text).toBe('');
  }, 20_000);
});
