import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';
import { main } from '../../src/main.ts';
import { fakeProcess } from '../fake-process.ts';
import { jsonServer } from '../json-server.ts';
import { runCommand } from '../run-command.ts';

const ROOMS = {
  rooms: [
    { id: 1, heat: 20.5, seen_at: 1_700_000_000 },
    { id: 2, heat: 21, seen_at: 1_700_000_001 },
  ],
};

describe('without questions', () => {
  test('it writes a configuration and a mapping that serve takes, from a URL alone', async () => {
    const folder = await temporaryFolder();
    const url = await jsonServer({ '/api/Rooms.json': ROOMS });
    const { code, output } = await runCommand('init', '--url', `${url}/api/Rooms.json`, '--out', folder, '--yes');
    expect(code).toBe(0);
    expect(output).toContain('Of the data: it is JSON.\n2 records, 3 properties, 0 fields left out.\n');
    expect(output).toContain(
      `  npx ldes-live map ${url}/api/Rooms.json --mapping ${join(folder, 'rooms.mapping.yml')}\n`,
    );
    expect(output).toContain(`  npx ldes-live serve ${join(folder, 'config.yml')}\n`);
    expect(output).toContain('  npx ldes-live follow http://localhost:3000/rooms --mal 10\n');
    const { config, files } = await readConfig(join(folder, 'config.yml'), {});
    expect(config.streams.rooms?.source).toMatchObject({
      kind: 'documents',
      format: 'json',
      documents: [{ url: `${url}/api/Rooms.json` }],
      everyMs: 60_000,
    });
    const mapped = await files.rooms?.mapping?.map({ document: ROOMS });
    expect(mapped?.entities.map(({ entity }) => entity)).toEqual([
      'http://localhost:3000/rooms/entities/1',
      'http://localhost:3000/rooms/entities/2',
    ]);
  });

  test('it writes no file over another, and none at all then, unless forced', async () => {
    const url = await jsonServer({ '/rooms.json': ROOMS });
    const folder = await temporaryFolder({ 'rooms.mapping.yml': 'mine' });
    const args = ['init', '--url', `${url}/rooms.json`, '--out', folder];
    const { code, errorOutput } = await runCommand(...args);
    expect([code, errorOutput]).toEqual([1, expect.stringMatching(/^ERR_FILE_EXISTS: .*rooms\.mapping\.yml is there/)]);
    expect(await readdir(folder)).toEqual(['rooms.mapping.yml']);
    expect((await runCommand(...args, '--force')).code).toBe(0);
    expect(await readFile(join(folder, 'rooms.mapping.yml'), 'utf8')).toContain('own:heat');
  });

  test.each<[what: string, args: string[], source: object]>([
    [
      'GTFS-Realtime, which may need a key',
      ['--kind', 'gtfsrt', '--url', 'http://127.0.0.1:1/vp.pb'],
      { kind: 'gtfsRt', feeds: [{ url: 'http://127.0.0.1:1/vp.pb' }], everyMs: 20_000 },
    ],
    [
      'an interval',
      ['--kind', 'csv', '--url', 'http://127.0.0.1:1/a.csv', '--preset', 'parkapi', '--every', '5m'],
      { kind: 'documents', format: 'csv', everyMs: 300_000, mapping: { preset: 'parkapi' } },
    ],
    [
      'a broker',
      ['--url', 'mqtts://b.example', '--preset', 'sensorthings-mqtt', '--topic', 'a/+', '--topic', 'b/#'],
      { kind: 'mqtt', topics: [{ filter: 'a/+' }, { filter: 'b/#' }], clientId: expect.stringMatching(/^\w{23}$/) },
    ],
  ])('%s can be named', async (_, args, source) => {
    const folder = await temporaryFolder();
    expect((await runCommand('init', '--stream', 's', '--out', folder, ...args)).errorOutput).toBe('');
    const text = await readFile(join(folder, 'config.yml'), 'utf8');
    const { parseConfig } = await import('../../src/config/parse-config.ts');
    expect(parseConfig(text, 'config.yml', {}).config.streams.s?.source).toMatchObject(source);
  });

  test.each<[what: string, document: object, path: string, source: object]>([
    [
      'a feed of GBFS by its discovery document',
      { last_updated: 1, ttl: 1, data: { stations: [{ station_id: 'a', num_bikes_available: 1 }] } },
      '/en/station_status.json',
      { kind: 'gbfs', feed: 'station_status', url: expect.stringMatching(/\/en\/gbfs\.json$/) },
    ],
    ...(
      [
        ['/st/v1.1/', /\/st\/v1\.1\/$/],
        ['/st/v1.1/Observations', /\/st\/v1\.1\/$/],
        ['/st/v1.1/Things(1)', /\/st\/v1\.1\/$/],
        ['/st/v1.1/Datastreams(1)', /\/Datastreams\(1\)$/],
        ['/st/v1.1/Datastreams(1)/Observations', /\/Datastreams\(1\)\/Observations$/],
        ['/st/v1.1/Observations?$filter=result%20gt%203', /\/Observations\?\$filter=result%20gt%203$/],
      ] as const
    ).map(([path, url]): [string, object, string, object] => [
      `SensorThings at ${path}`,
      path.endsWith('(1)') ? { '@iot.id': 1, '@iot.selfLink': 'http://a/' } : { value: [{ '@iot.id': 1 }] },
      path,
      { kind: 'sensorThings', url: expect.stringMatching(url), mapping: { preset: 'sensorthings' } },
    ]),
  ])('it configures %s', async (_, document, path, source) => {
    const folder = await temporaryFolder();
    const url = await jsonServer({ [path.replace(/\?.*/, '')]: document });
    await runCommand('init', '--url', `${url}${path}`, '--stream', 's', '--out', folder);
    const { config } = await readConfig(join(folder, 'config.yml'), {});
    expect(config.streams.s?.source).toMatchObject(source);
  });

  test.each([
    ['that lists none', ['free_bike_status'], {}],
    ['whose list of them is empty', ['station_status', 'free_bike_status'], { stations: [] }],
  ])('of a GBFS system without stations, %s, it publishes the vehicles', async (_, names, data) => {
    const folder = await temporaryFolder();
    const documents: Record<string, object> = { '/station_status': { last_updated: 1, ttl: 1, data } };
    const url = await jsonServer(documents);
    const feeds = ['system_information', ...names].map((name) => ({ name, url: `${url}/${name}` }));
    documents['/gbfs.json'] = { last_updated: 1, ttl: 1, data: { no: { feeds } } };
    const { output } = await runCommand('init', '--url', `${url}/gbfs.json`, '--out', folder, '--stream', 's', '--yes');
    expect(output).toContain('without stations, so free_bike_status is published');
    const { config } = await readConfig(join(folder, 'config.yml'), {});
    expect(config.streams.s?.source).toMatchObject({ kind: 'gbfs', feed: 'free_bike_status', url: `${url}/gbfs.json` });
  });

  test('what ended goes with the history', async () => {
    const folder = await temporaryFolder();
    const url = await jsonServer({ '/rooms.json': ROOMS });
    await runCommand('init', '--url', `${url}/rooms.json`, '--out', folder, '--yes');
    const { config } = await readConfig(join(folder, 'config.yml'), {});
    expect(config.streams.rooms?.retention).toEqual({ versionAmount: 1, versionDeleteMs: 0, fullLogMs: 604_800_000 });
  });

  test('for posts it makes a token, shows it, and writes its hash', async () => {
    const folder = await temporaryFolder();
    const { output } = await runCommand('init', '--kind', 'post', '--stream', 'water', '--out', folder);
    const token = /Bearer ([\w-]{43})'/.exec(output)?.[1] as string;
    const text = await readFile(join(folder, 'config.yml'), 'utf8');
    expect(text).not.toContain(token);
    const { config } = await readConfig(join(folder, 'config.yml'), {});
    const hash = createHash('sha256').update(token).digest('hex');
    expect(config.streams.water?.source).toEqual({ kind: 'post', tokenHashes: [hash] });
  });

  test.each<[what: string, args: string[], message: RegExp]>([
    ['nothing', [], /^ERR_USAGE: Give --url, where the data is; or --kind post/],
    ['an interval that is too short', ['--kind', 'post', '--every', '10ms'], /^ERR_USAGE: --every is "10ms": .* 100ms/],
    ['a URL that answers nothing', ['--url', 'http://127.0.0.1:1/a'], /^ERR_SAMPLE_UNREADABLE: http:\/\/127/],
    ['an unknown preset', ['--kind', 'json', '--url', 'http://127.0.0.1:1/', '--preset', 'a'], /^ERR_PRESET_UNKNOWN/],
    [
      'a preset of another kind',
      ['--kind', 'gtfsrt', '--url', 'http://127.0.0.1:1/', '--preset', 'parkapi'],
      /^ERR_USAGE: The preset parkapi is for sources of json, .* and this is gtfsrt\./,
    ],
    [
      'a preset of another format',
      ['--kind', 'json', '--url', 'http://127.0.0.1:1/', '--preset', 'datex2-parking'],
      /^ERR_USAGE: The preset datex2-parking is for sources of xml, and this is json\./,
    ],
    ['a broker without a message', ['--url', 'mqtt://localhost'], /^ERR_SAMPLE_UNKNOWN: .*--sample FILE, or --preset/],
  ])('%s is refused', async (_, args, message) => {
    const folder = await temporaryFolder();
    const { code, errorOutput } = await runCommand('init', '--out', folder, '--yes', ...args);
    expect(code).toBeGreaterThan(0);
    expect(errorOutput).toMatch(message);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ['hello', 'What the sample holds is not known'],
    ['<!DOCTYPE html><p>No.', 'is a web page (HTML), not data: give a sample of the data itself'],
    ['<?xml version="1.0"?>\n<html xmlns="a"/>', 'is a web page (HTML), not data'],
    ['{"a":[1,{"b":2},', 'begins like JSON, but is none: '],
    ['[{"a":1,"b":2},\n{"a":1,"b":2', 'begins like JSON, but is none: '],
    ['  \n', 'is empty'],
    ['PK\u0003\u0004', 'is a zip; a timetable (GTFS) in one is configured by source: { gtfs: URL }'],
    ['{"error":"No key","status":401}', 'is an answer that says error: "No key"'],
    ['[]', 'What the sample holds is not known, or has nothing to publish: give one that has records with fields'],
  ])('a sample that is %j is refused', async (sample, message) => {
    const folder = await temporaryFolder({ s: sample });
    const { errorOutput } = await runCommand(
      'init',
      '--url',
      'http://a/',
      '--sample',
      join(folder, 's'),
      '--out',
      folder,
    );
    expect(errorOutput).toMatch(/^ERR_SAMPLE_UNKNOWN: /);
    expect(errorOutput).toContain(message);
  });

  test('what it says to do next with a message of a broker works', async () => {
    const folder = await temporaryFolder({ 'm.json': '{"value":20.5,"time":1700000000}' });
    const args = ['--url', 'mqtt://localhost', '--sample', join(folder, 'm.json'), '--topic', 'home/+/heat'];
    const { output } = await runCommand('init', ...args, '--stream', 'rooms', '--out', folder);
    const [, next = ''] = /npx ldes-live (map .*)/.exec(output) ?? [];
    expect(next).toContain(' --topic home/example/heat');
    const mapped = await runCommand(...next.split(' '));
    expect([mapped.code, mapped.output]).toEqual([0, expect.stringContaining('/rooms/entities/example>')]);
  });
});

test('on a terminal it asks for what was not given', async () => {
  const folder = await temporaryFolder();
  const url = await jsonServer({ '/rooms.json': ROOMS });
  const process = fakeProcess(['init', '--out', folder]);
  const stdin = Object.assign(process.stdin, { isTTY: true });
  const ended = main(process);
  for (const [question, answer] of [
    [/Where is the data\?.*: /, 'here'],
    [/Give --url, where the data is.*\nWhere is the data\?.*: /, `${url}/none.json`],
    [/none\.json cannot be read \(status 404\).*\nWhere is the data\?.*: /, `${url}/rooms.json`],
    [/What is it\?.*\[json\]: /, 'yaml'],
    [/What the sample holds is not known.*\nWhat is it\?.*\[json\]: /, ''],
    [/Name of the stream.*\[rooms\]: /, 'Heat!'],
    [/"Heat!" is no name of a stream.*\nName of the stream.*\[rooms\]: /, 'heat'],
    [/readers will reach.*\[http:\/\/localhost:3000\/\]: /, 'ftp://a'],
    [/"ftp:\/\/a" is no such URL.*\n.*readers will reach.*: /, 'http://localhost:8080'],
    [/How often.*\[60s\]: /, 'often'],
    [/"often" is no duration.*\nHow often.*\[60s\]: /, '5s'],
  ] as const) {
    await process.stderr.until(question);
    stdin.push(`${answer}\n`);
  }
  expect(await ended).toBe(0);
  expect(process.stdout.text).toContain('serve');
  expect(process.stdout.text).toContain(' --port 8080\n');
  const { config } = await readConfig(join(folder, 'config.yml'), {});
  expect(config).toMatchObject({
    publicUrl: 'http://localhost:8080/',
    streams: { heat: { source: { everyMs: 5000 } } },
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
