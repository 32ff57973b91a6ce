import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';
import { main } from '../../src/index.ts';
import { fakeProcess } from '../fake-process.ts';
import { jsonServer } from '../json-server.ts';
import { runCommand } from '../run-command.ts';

const ROOMS = {
  rooms: [
    { id: 1, heat: 20.5, seen_at: 1_700_000_000 },
    { id: 2, heat: 21, seen_at: 1_700_000_001 },
  ],
};

/** Runs `init` without questions; what it said, and what a server reads of what it wrote. */
async function initialised(...args: string[]) {
  const out = await temporaryFolder();
  const { code, output, errorOutput } = await runCommand('init', '--out', out, '--yes', '--stream', 's', ...args);
  expect([code, errorOutput]).toEqual([0, '']);
  const { config, files } = await readConfig(join(out, 'config.yml'), {});
  return { out, output, stream: config.streams.s, mapping: files.s?.mapping };
}

test('it writes a configuration and a mapping that serve takes, from a URL alone', async () => {
  const folder = await temporaryFolder();
  const url = await jsonServer({ '/api/Rooms.json': ROOMS });
  const { output } = await runCommand('init', '--url', `${url}/api/Rooms.json`, '--out', folder, '--yes');
  expect(output).toContain('The data: it is JSON.\n2 records, 3 properties, 0 fields in leftOut.\n');
  expect(output).toMatch(/^Presets for json, each for --preset: .*ghent-garages, .*parkapi/m);
  const mapping = join(folder, 'rooms.mapping.yml');
  expect(output).toContain(`  npx ldes-live map ${url}/api/Rooms.json --mapping ${mapping}\n`);
  expect(output).toContain(`  npx ldes-live serve ${join(folder, 'config.yml')}\n`);
  expect(output).toContain('  npx ldes-live follow http://localhost:3000/rooms --mal 10\n');
  const text = await readFile(join(folder, 'config.yml'), 'utf8');
  expect(text).toMatch(/^# yaml-language-server: \$schema=https:\/\/w3id\.org\/ldes-live\/config\.schema\.json\n/);
  const { config, files } = await readConfig(join(folder, 'config.yml'), {});
  const documents = [{ url: `${url}/api/Rooms.json` }];
  expect(config.streams.rooms).toMatchObject({
    source: { kind: 'documents', format: 'json', documents, intervalMs: 60_000 },
    // What ended goes with the history.
    retention: { versionAmount: 1, versionDeleteMs: 0, fullLogMs: 604_800_000 },
  });
  const mapped = await files.rooms?.mapping?.map({ document: ROOMS });
  expect(mapped?.entities.map(({ entity }) => entity)).toEqual([
    'http://localhost:3000/rooms/entities/1',
    'http://localhost:3000/rooms/entities/2',
  ]);
});

test('a folder that cannot be made is named', async () => {
  const url = await jsonServer({ '/rooms.json': ROOMS });
  const folder = await temporaryFolder({ file: '' });
  for (const out of [join(folder, 'file'), join(folder, 'file', 'deeper'), '/proc/ldes-live']) {
    const { code, errorOutput } = await runCommand('init', '--url', `${url}/rooms.json`, '--out', out, '--yes');
    expect([code, errorOutput]).toEqual([1, expect.stringMatching(/^ERR_FILE_WRITE: /)]);
  }
});

test('it writes no file over another, and none at all then, unless forced', async () => {
  const url = await jsonServer({ '/rooms.json': ROOMS });
  const folder = await temporaryFolder({ 'rooms.mapping.yml': 'mine' });
  const args = ['init', '--url', `${url}/rooms.json`, '--out', folder];
  const { code, errorOutput } = await runCommand(...args);
  expect([code, errorOutput]).toEqual([
    1,
    expect.stringMatching(/^ERR_FILE_EXISTS: .*rooms\.mapping\.yml already exists/),
  ]);
  expect(await readdir(folder)).toEqual(['rooms.mapping.yml']);
  expect((await runCommand(...args, '--force')).code).toBe(0);
  expect(await readFile(join(folder, 'rooms.mapping.yml'), 'utf8')).toContain('own:heat');
});

test.each<[what: string, args: string[], source: object]>([
  [
    'GTFS-Realtime, which may need a key',
    ['--kind', 'gtfsrt', '--url', 'http://127.0.0.1:1/vp.pb'],
    { kind: 'gtfsRt', feeds: [{ url: 'http://127.0.0.1:1/vp.pb' }], intervalMs: 20_000 },
  ],
  [
    'an interval',
    ['--kind', 'ndjson', '--url', 'http://127.0.0.1:1/a', '--preset', 'parkapi', '--every', '5m'],
    { kind: 'documents', format: 'ndjson', intervalMs: 300_000, mapping: { preset: 'parkapi' } },
  ],
  [
    'a format that a preset leaves open',
    ['--kind', 'csv', '--url', 'http://127.0.0.1:1/a', '--preset', 'parkapi'],
    { kind: 'documents', format: 'csv', mapping: { preset: 'parkapi' } },
  ],
  [
    'a broker',
    // How often to ask means nothing where nobody asks.
    [
      '--url',
      'mqtts://b.example',
      '--preset',
      'sensorthings-mqtt',
      '--topic',
      'a/+',
      '--topic',
      'b/#',
      '--every',
      '5s',
    ],
    { kind: 'mqtt', topics: [{ filter: 'a/+' }, { filter: 'b/#' }], clientId: expect.stringMatching(/^\w{23}$/) },
  ],
])('%s can be named', async (_, args, source) => {
  expect((await initialised(...args)).stream?.source).toMatchObject(source);
});

const observation = { '@iot.id': 1, '@iot.selfLink': 'http://a/' };
test.each<[path: string, document: object, source: object]>([
  [
    '/en/station_status.json',
    { last_updated: 1, ttl: 1, data: { stations: [{ station_id: 'a', num_bikes_available: 1 }] } },
    { kind: 'gbfs', feed: 'station_status', url: expect.stringMatching(/\/en\/gbfs\.json$/) },
  ],
  ...[
    ['/st/v1.1/', '/st/v1.1/'],
    ['/st/v1.1/Observations', '/st/v1.1/'],
    ['/st/v1.1/Things(1)', '/st/v1.1/'],
    ['/st/v1.1/Datastreams(1)', '/Datastreams(1)'],
    ['/st/v1.1/Datastreams(1)/Observations', '/Datastreams(1)/Observations'],
    ['/st/v1.1/Observations?$filter=result%20gt%203', '/Observations?$filter=result%20gt%203'],
    ['/st/v1.1/Datastreams(1)/Observations?$top=5', '/st/v1.1/Datastreams(1)/Observations?$top=5'],
  ].map(([path = '', end = '']): [string, object, object] => [
    path,
    observation,
    { kind: 'sensorThings', url: expect.toSatisfy((url) => url.endsWith(end)), mapping: { preset: 'sensorthings' } },
  ]),
])('of what is at %s it publishes all', async (path, document, source) => {
  const url = await jsonServer({ [path.replace(/\?.*/, '')]: document });
  const { output, stream } = await initialised('--url', `${url}${path}`);
  expect(stream?.source).toMatchObject(source);
  expect(output.includes('CHECK: all observations of the service are published')).toBe(path.endsWith('Things(1)'));
});

test.each([
  ['that lists none', ['free_bike_status'], {}],
  ['whose list of them is empty', ['station_status', 'free_bike_status'], { stations: [] }],
])('of a GBFS system without stations, %s, it publishes the vehicles', async (_, names, data) => {
  const documents: Record<string, object> = { '/station_status': { last_updated: 1, ttl: 1, data } };
  const url = await jsonServer(documents);
  const feeds = ['system_information', ...names].map((name) => ({ name, url: `${url}/${name}` }));
  documents['/gbfs.json'] = { last_updated: 1, ttl: 1, data: { no: { feeds } } };
  const { output, stream } = await initialised('--url', `${url}/gbfs.json`);
  expect(output).toContain('and this one is published: free_bike_status');
  expect(stream?.source).toMatchObject({ kind: 'gbfs', feed: 'free_bike_status', url: `${url}/gbfs.json` });
});

test('for posts it makes a token, shows it, and writes its hash', async () => {
  const { out, output, stream } = await initialised('--kind', 'post');
  const token = /Bearer ([\w-]{43})'/.exec(output)?.[1] as string;
  expect(await readFile(join(out, 'config.yml'), 'utf8')).not.toContain(token);
  const hash = createHash('sha256').update(token).digest('hex');
  expect(stream?.source).toEqual({ kind: 'post', tokenHashes: [hash] });
});

const ELSEWHERE = ['--url', 'http://127.0.0.1:1/'];
const of = (kind: string, preset: string) => ['--kind', kind, ...ELSEWHERE, '--preset', preset];

test.each<[what: string, args: string[], message: RegExp, sample?: string]>([
  ['nothing', [], /^ERR_USAGE: Give --url with the URL of the data, or --kind post/],
  ['too short an interval', ['--kind', 'post', '--every', '10ms'], /^ERR_USAGE: .*'10ms' is invalid\. .* 100ms/],
  ['a URL that answers nothing', ELSEWHERE, /^ERR_SAMPLE_UNREADABLE: http:\/\/127/],
  [
    'a public URL with a query',
    ['--kind', 'post', '--public-url', 'http://a/?b'],
    /^ERR_USAGE: "http:\/\/a\/\?b" is not valid/,
  ],
  ['an unknown preset', of('json', 'a'), /^ERR_PRESET_UNKNOWN/],
  ['a preset of another kind', of('gtfsrt', 'parkapi'), /^ERR_USAGE: .* parkapi maps json, .* not gtfsrt\./],
  ['a preset of another format', of('json', 'datex2-parking'), /^ERR_USAGE: .* maps xml, not json\./],
  ['a broker without a message', ['--url', 'mqtt://a'], /^ERR_SAMPLE_UNKNOWN: .*--sample FILE, or --preset/],
  ['what is nothing known', ELSEWHERE, /^ERR_SAMPLE_UNKNOWN: The kind of the sample is unknown/, 'hello'],
  ['a web page', ELSEWHERE, /^ERR_SAMPLE_UNKNOWN: .* \(HTML\), not data\. Give a sample of the data/, '<html>'],
  ['what has no records', ELSEWHERE, /^ERR_SAMPLE_UNKNOWN: .* Give one that has records with fields/, '[]'],
])('%s is refused', async (_, args, message, sample) => {
  const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder({ s: sample ?? '' })];
  const given = sample === undefined ? args : [...args, '--sample', join(elsewhere, 's')];
  const { code, errorOutput } = await runCommand('init', '--out', folder, '--yes', ...given);
  expect(code).toBeGreaterThan(0);
  expect(errorOutput).toMatch(message);
  expect(await readdir(folder)).toEqual([]);
});

test('what it says to do next with a message of a broker works', async () => {
  const folder = await temporaryFolder({ 'm.json': '{"value":20.5,"time":1700000000}' });
  const args = ['--url', 'mqtt://localhost', '--sample', join(folder, 'm.json'), '--topic', 'home/+/heat'];
  const [, next = ''] = /npx ldes-live (map .*)/.exec((await initialised(...args)).output) ?? [];
  expect(next).toContain(' --topic home/example/heat');
  const mapped = await runCommand(...next.split(' '));
  expect([mapped.code, mapped.output]).toEqual([0, expect.stringContaining('/s/entities/example>')]);
});

test('on a terminal it asks for what was not given', async () => {
  const folder = await temporaryFolder();
  const url = await jsonServer({ '/rooms.json': ROOMS });
  const process = fakeProcess(['init', '--out', folder]);
  const stdin = Object.assign(process.stdin, { isTTY: true });
  const ended = main(process);
  for (const [question, answer] of [
    [/Where is the data\?.*: /, 'here'],
    [/Give --url with the URL of the data.*\nWhere is the data\?.*: /, `${url}/none.json`],
    [/none\.json cannot be read \(status 404\).*\nWhere is the data\?.*: /, `${url}/rooms.json`],
    [/What is it\?.*\[json\]: /, 'yaml'],
    [/The kind of the sample is unknown.*\nWhat is it\?.*\[json\]: /, ''],
    [/Name of the stream.*\[rooms\]: /, 'Heat!'],
    [/"Heat!" is not valid\. Give --stream.*\nName of the stream.*\[rooms\]: /, 'heat'],
    [/readers reach.*\[http:\/\/localhost:3000\/\]: /, 'ftp://a'],
    [/"ftp:\/\/a" is not valid\. Give --public-url.*\n.*readers reach.*: /, 'http://localhost:8080'],
    [/How often.*\[60s\]: /, 'often'],
    [/"often" is not valid\. Give --every.*\nHow often.*\[60s\]: /, '5s'],
  ] as const) {
    await process.stderr.until(question);
    stdin.push(`${answer}\n`);
  }
  expect(await ended).toBe(0);
  expect(process.stdout.text).toContain('serve');
  const { config } = await readConfig(join(folder, 'config.yml'), {});
  expect(config).toMatchObject({
    publicUrl: 'http://localhost:8080/',
    streams: { heat: { source: { intervalMs: 5000 } } },
  });
});

test('on a terminal that is closed it ends', async () => {
  const process = fakeProcess(['init', '--out', await temporaryFolder()]);
  const stdin = Object.assign(process.stdin, { isTTY: true });
  const ended = main(process);
  await process.stderr.until(/Where is the data/);
  stdin.push('nowhere\n');
  await process.stderr.until(/Give --url/);
  stdin.push(null);
  expect(await ended).toBe(2);
  expect(process.stderr.text).toContain('ERR_USAGE: The questions were not answered.');
});

test('a new token is printed with its hash', async () => {
  const { code, output } = await runCommand('token');
  const [, token = '', hash] = /^token: ([\w-]{43})\nhash: {2}([0-9a-f]{64})\n$/.exec(output) ?? [];
  expect(code).toBe(0);
  expect(createHash('sha256').update(token).digest('hex')).toBe(hash);
  expect((await runCommand('token')).output).not.toBe(output);
});
