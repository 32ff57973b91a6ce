import { join } from 'node:path';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { describe, expect, test } from 'vitest';
import { parseCommandLine } from '../src/command-line.ts';
import { helpTexts } from '../src/help-text.ts';
import { main } from '../src/main.ts';
import { fakeProcess } from './fake-process.ts';

describe('main', () => {
  test.each([
    [[], 'ldes-live serve [config.yml | --demo]'],
    [['serve', '--help'], '--demo            a small transit network'],
    [['follow', '--help'], '--mal SECONDS     how late'],
    [['query', '--help'], '--window 60s      over'],
    [['check', '--help'], '--pages N         how many'],
    [['init', '--help'], '--sample FILE     a sample'],
    [['map', '--help'], '--lookup NAME=SAMPLE the other'],
    [['token', '--help'], 'Prints a new token'],
    [['capacity', '--help'], '--users N         readers'],
    [['bench', '--help'], 'npm install @ldes-live/bench'],
    [['--version'], '0.1.0\n'],
  ])('%j prints and ends well', async (args, text) => {
    const process = fakeProcess(args);
    expect(await main(process)).toBe(0);
    expect(process.stdout.text).toContain(text);
    expect(process.stderr.text).toBe('');
  });

  test('help names every command, and none that does not exist', async () => {
    const process = fakeProcess(['--help']);
    await main(process);
    const named = [...process.stdout.text.matchAll(/^ {2}ldes-live ([a-z]+)/gm)].map(([, name]) => name);
    expect(['ldes-live', ...named].sort()).toEqual(Object.keys(helpTexts).sort());
  });

  test('a command line that makes no sense ends with 2', async () => {
    const process = fakeProcess(['publish']);
    expect(await main(process)).toBe(2);
    expect(process.stderr.text).toMatch(/^ERR_USAGE: "publish" is no command.*\n$/);
    expect(process.stdout.text).toBe('');
  });

  test('a configuration that is not there ends with 1', async () => {
    const file = join(await temporaryFolder(), 'none.yml');
    const process = fakeProcess(['serve', file]);
    expect(await main(process)).toBe(1);
    expect(process.stderr.text).toBe(
      `ERR_CONFIG_UNREADABLE: The configuration ${file} cannot be read (ENOENT): give the path of a YAML file, or --demo for the demonstration.\n`,
    );
  });

  test('a wrong configuration ends with 1, each mistake on a line', async () => {
    const wrong = 'publicUrl: http://a/\nstreams:\n  a: { source: { gtfsRt: b, every: c } }\n';
    const process = fakeProcess(['serve', join(await temporaryFolder({ 'wrong.yml': wrong }), 'wrong.yml')]);
    expect(await main(process)).toBe(1);
    expect(process.stderr.text.split('\n')).toEqual([
      expect.stringContaining('ERR_CONFIG_INVALID'),
      expect.stringMatching(/wrong\.yml:3:26 streams\.a\.source\.gtfsRt: found "b"/),
      expect.stringMatching(/wrong\.yml:3:36 streams\.a\.source\.every: found "c"/),
      '',
    ]);
  });

  test('listeners for signals are taken away in the end', async () => {
    const process = fakeProcess([]);
    await main(process);
    expect(process.signal('SIGINT')).toBe(false);
    expect(process.signal('SIGTERM')).toBe(false);
  });
});

const parse = (line: string) => parseCommandLine(line.split(' ').filter((word) => word !== ''));
const follow = { kind: 'follow', url: 'http://a/s', mal: 10, format: 'summary', filter: {} };
const map = { kind: 'map', sample: 'a.json', lookups: {}, format: 'turtle' };
const serve = { kind: 'serve', port: 3000, host: '127.0.0.1' };

test.each([
  ['', { kind: 'help', topic: 'ldes-live' }],
  ['--help', { kind: 'help', topic: 'ldes-live' }],
  ['--version', { kind: 'version' }],
  ['serve --help', { kind: 'help', topic: 'serve' }],
  ['serve --demo', serve],
  ['serve live.yml', { ...serve, configFile: 'live.yml' }],
  ['serve --port 0 live.yml --host 0.0.0.0', { kind: 'serve', configFile: 'live.yml', port: 0, host: '0.0.0.0' }],
  ['serve --demo --workers 1', { ...serve, workers: 1 }],
  ['serve --demo --no-web', { ...serve, web: false }],
  ['follow http://a/s --mal 10', follow],
  ['follow --mal 0.5 http://a/s', { ...follow, mal: 0.5 }],
  ['follow http://a/s --mal 10 --from k3x9a-42 --format jsonld', { ...follow, from: 'k3x9a-42', format: 'jsonld' }],
  ['follow http://a/s --mal 10 --count 1 --state f.json', { ...follow, count: 1, stateFile: 'f.json' }],
  [
    'follow http://a/s --mal 1 --entity urn:a:1 --entity urn:a:2 --type urn:t --bbox=-5,50,5,52',
    { ...follow, mal: 1, filter: { entity: ['urn:a:1', 'urn:a:2'], type: ['urn:t'], bbox: ['-5,50,5,52'] } },
  ],
  ['query http://a/s ASK{} --mal 2', { kind: 'query', urls: ['http://a/s'], sparql: 'ASK{}', mal: 2 }],
  [
    'query http://a/s http://b/s ASK{} --mal .5 --window 5m --count 3',
    { kind: 'query', urls: ['http://a/s', 'http://b/s'], sparql: 'ASK{}', mal: 0.5, windowMs: 300_000, count: 3 },
  ],
  [
    'query http://a/s ASK{} --mal 2 --engine oxigraph',
    { kind: 'query', urls: ['http://a/s'], sparql: 'ASK{}', mal: 2, engine: 'oxigraph' },
  ],
  ['check http://a/s', { kind: 'check', url: 'http://a/s', pages: 20, format: 'text' }],
  ['check http://a/s --hosts any', { kind: 'check', url: 'http://a/s', pages: 20, format: 'text', hosts: 'any' }],
  ['check https://a/s --pages 3 --format json', { kind: 'check', url: 'https://a/s', pages: 3, format: 'json' }],
  ['init', { kind: 'init', topics: [], out: '.', yes: false, force: false }],
  [
    'init --url mqtt://a --kind mqtt --topic a/+ --topic b --preset p --sample s --every 5s --stream t --out d -y --force',
    {
      kind: 'init',
      url: 'mqtt://a',
      source: 'mqtt',
      topics: ['a/+', 'b'],
      preset: 'p',
      sample: 's',
      every: '5s',
      stream: 't',
      out: 'd',
      yes: true,
      force: true,
    },
  ],
  [
    'init --public-url https://a.example/b',
    { kind: 'init', publicUrl: 'https://a.example/b/', topics: [], out: '.', yes: false, force: false },
  ],
  ['map a.json --mapping m.yml', { ...map, mapping: { file: 'm.yml' } }],
  [
    'map a.json --preset p --format nquads --count 2 --lookup b=c=d --lookup e=f',
    { ...map, mapping: { preset: 'p' }, format: 'nquads', count: 2, lookups: { b: 'c=d', e: 'f' } },
  ],
  ['map --presets', { kind: 'listPresets' }],
  ['map --preset p --print', { kind: 'printPreset', preset: 'p' }],
  ['token', { kind: 'token' }],
  ['bench e1 --quick --prot 1', { kind: 'bench', args: ['e1', '--quick', '--prot', '1'] }],
])('"%s" is understood', (line, command) => {
  expect(parse(line)).toEqual(command);
});

test.each([
  [
    'publish a',
    '"publish" is no command: the commands are serve, follow, query, check, init, map, token, capacity and bench. See ldes-live --help.',
  ],
  ['serve', 'Give a configuration file, --demo, or --join. See ldes-live serve --help.'],
  ['serve a.yml --join nats://a', 'Both a.yml and --join were given'],
  ['serve --demo --join nats://a', 'Both --demo and --join were given'],
  ['serve a.yml --data d', '--data belongs to --join, which was not given'],
  ['serve --demo --node a', '--node belongs to --join'],
  ['serve --join a:4222', '--join is "a:4222": give the URLs of NATS servers'],
  ['serve --join nats://a,nats://u:p@b', 'give the URLs of NATS servers, such as nats://a:4222,nats://b:4222'],
  ['serve --join nats://a --node a/b', '--node is "a/b": give 1 to 64'],
  ['serve --join nats://a --stream a.b', '--stream is "a.b": give 1 to 32'],
  ['serve --join nats://a --data=', '--data is "": give a folder'],
  ['serve --join nats://a --credentials=', '--credentials is "": give a file'],
  ['serve a.yml b.yml', 'One configuration can be served, not 2.'],
  ['serve a.yml --demo', 'Both a.yml and --demo were given: choose one.'],
  ['serve --demo --port', "Option '--port <value>' argument missing."],
  ['serve --demo --port 65536', '--port is "65536": give an integer from 0 to 65535.'],
  ['serve --demo --workers 0', '--workers is "0": give an integer from 1 to 256.'],
  ['serve --demo --prot 1', "Unknown option '--prot'. See ldes-live serve --help."],
  ['serve --demo=yes', "Option '--demo' does not take an argument."],
  ['follow --mal 1', 'Give the URL of one stream. See ldes-live follow --help.'],
  ['follow http://a/', 'Give --mal: how late an update may be, in seconds.'],
  ['follow http://a/ --mal 0', '--mal is "0": give seconds, a number above 0'],
  [`follow http://a/ --mal ${'9'.repeat(400)}`, '--mal is "999'],
  ['follow http://a/ --mal 1 --format xml', '--format is "xml": give one of summary, jsonld, nq.'],
  ['follow http://a/ --mal 1 --bbox 1,2,3', '--bbox is "1,2,3": give west,south,east,north in degrees'],
  ['follow http://a/ --mal 1 --type vehicle', '--type is "vehicle": give an absolute IRI'],
  ['follow http://a/ --mal 1 --from yesterday', '--from is "yesterday": give latest, start, now, or a cursor'],
  ['follow http://a/ --mal 1 --count 0', '--count is "0": give an integer from 1'],
  ['query http://a/s --mal 1', 'Give the URL of a stream, and a query in quotes. See ldes-live query --help.'],
  ['query http://a/s ASK{}', 'Give --mal: how old an answer may be, in seconds.'],
  ['query http://a/s ASK{} --mal 1 --engine jena', '--engine is "jena": give comunica or oxigraph.'],
  ['query http://a/s ASK{} --mal 1 --window 60', '--window is "60": give a length of time above 0'],
  ['check', 'Give the URL of one stream. See ldes-live check --help.'],
  ['check file:///etc', '"file:///etc" is no URL of HTTP'],
  ['check http://a/ --hosts private', '--hosts is "private": give one of any, public.'],
  ['check http://a/ --pages 0', '--pages is "0": give an integer from 1'],
  ['init a', '"a" belongs to no option. See ldes-live init --help.'],
  ['init --kind soap', '--kind is "soap": give one of gtfsrt, gbfs, json,'],
  ['init --url ftp://a', '--url is "ftp://a": give a URL of http or mqtt.'],
  ['init --every 5', '--every is "5": give a duration with its unit'],
  ['init --stream health', '--stream is "health": give a name'],
  ['init --public-url a', '--public-url is "a": give the http or https URL'],
  ['map', 'Give one sample: a file, or its URL. See ldes-live map --help.'],
  ['map a', 'Give --mapping FILE, or --preset NAME (--presets lists them).'],
  ['map a --mapping b --preset c', 'Both --mapping and --preset were given: choose one.'],
  ['map --print', 'Give --preset beside --print'],
  ['map a --preset b --lookup c', '--lookup is "c": give NAME=FILE'],
  ['map a --preset b --format xml', '--format is "xml": give one of turtle, trig, nquads, ntriples, jsonld.'],
  ['token a', 'It takes no arguments'],
])('"%s" is refused, with the remedy', (line, message) => {
  expect(() => parse(line)).toThrow(
    expect.objectContaining({ code: 'ERR_USAGE', message: expect.stringContaining(message) }),
  );
});
