import { join } from 'node:path';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { describe, expect, test } from 'vitest';
import { main } from '../src/index.ts';
import { type Commands, runProgram } from '../src/program.ts';
import { FullRecorder, fakeProcess, Recorder } from './fake-process.ts';

const NAMES = ['serve', 'follow', 'query', 'check', 'init', 'map', 'token', 'verify', 'schema', 'capacity', 'bench'];
const RUNS = [...NAMES, 'printPreset', 'listPresets'];

describe('main', () => {
  test.each([[], ...NAMES.filter((name) => name !== 'bench').map((name) => [name])])(
    'help of ldes-live %s fits on a screen, and has an example',
    async (...command) => {
      const process = fakeProcess([...command, '--help']);
      expect(await main(process)).toBe(0);
      const lines = process.stdout.text.trimEnd().split('\n');
      expect(lines[0]).toContain(`Usage: ${['ldes-live', ...command].join(' ')} `);
      expect(lines.at(-1)).toMatch(/^Example: ldes-live /);
      expect(lines.length).toBeLessThan(24);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(process.stderr.text).toBe('');
    },
  );

  test('without arguments it prints help, which names every command', async () => {
    const process = fakeProcess([]);
    expect(await main(process)).toBe(0);
    const [, commands = ''] = process.stdout.text.split('Commands:\n');
    expect([...commands.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)).toEqual(NAMES);
  });

  test('the version is that of the package', async () => {
    const process = fakeProcess(['--version']);
    expect(await main(process)).toBe(0);
    expect(process.stdout.text).toBe('0.1.0\n');
  });

  test.each(['--help', '--version', 'serve --help'])('%s names an output that cannot be written', async (line) => {
    const process = fakeProcess(line.split(' '), new FullRecorder());
    expect(await main(process)).toBe(1);
    expect(process.stderr.text).toContain('ERR_OUTPUT: The output cannot be written (ENOSPC)');
  });

  test('a command line that makes no sense ends with 2', async () => {
    const process = fakeProcess(['publish']);
    expect(await main(process)).toBe(2);
    expect(process.stderr.text).toMatch(/^ERR_USAGE: Unknown command 'publish'\. See ldes-live --help\.\n$/);
    expect(process.stdout.text).toBe('');
  });

  test('a configuration that is not there ends with 1', async () => {
    const file = join(await temporaryFolder(), 'none.yml');
    const process = fakeProcess(['serve', file]);
    expect(await main(process)).toBe(1);
    expect(process.stderr.text).toBe(
      `ERR_CONFIG_UNREADABLE: The configuration ${file} cannot be read (ENOENT). Give the path of a YAML file, or --demo for the demonstration.\n`,
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

/** What a command line has run: the name of the command, and its options. */
async function run(line: string): Promise<unknown> {
  const ran: unknown[] = [];
  const record = (name: string) => async () => async (options: unknown) => void ran.push(name, options ?? {});
  const commands = Object.fromEntries(RUNS.map((name) => [name, record(name)])) as unknown as Commands;
  const words = line.split(' ').filter((word) => word !== '');
  expect(await runProgram(words, environment(), commands)).toBe(0);
  return ran;
}

function environment() {
  const { signal: interrupted } = new AbortController();
  const stdout = new Recorder();
  return { env: {}, stdout, stderr: new Recorder(), interrupted, clock: () => 0, random: () => 0 };
}

const follow = { kind: 'follow', url: 'http://a/s', mal: 10, format: 'summary', filter: {} };
const map = { kind: 'map', sample: 'a.json', lookups: {}, format: 'turtle' };
const capacity = { kind: 'capacity', users: 10, mal: 2, format: 'text' };
const serve = { kind: 'serve', host: '127.0.0.1', web: true };

test.each([
  ['serve --demo', serve],
  ['serve live.yml', { ...serve, configFile: 'live.yml' }],
  ['serve --port 0 live.yml --host 0.0.0.0', { ...serve, configFile: 'live.yml', port: 0, host: '0.0.0.0' }],
  [
    'serve --join nats://a:4222,tls://b --node c --data d --credentials e --stream f',
    {
      ...serve,
      join: {
        store: { servers: ['nats://a:4222', 'tls://b'] },
        nats: { data: 'd', credentials: 'e', stream: 'f' },
        node: 'c',
      },
    },
  ],
  ['serve --demo --workers 1', { ...serve, workers: 1 }],
  ['serve --demo --no-web', { ...serve, web: false }],
  ['follow http://a/s --mal 10', follow],
  ['follow --mal 0.5 http://a/s', { ...follow, mal: 0.5 }],
  ['follow http://a/s --mal 10 --from k3x9a-42 --format jsonld', { ...follow, from: 'k3x9a-42', format: 'jsonld' }],
  ['follow http://a/s --mal 10 --count 1 --state f.json', { ...follow, count: 1, state: 'f.json' }],
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
    'query http://a/s ASK{} --mal 2 --engine oxigraph --hosts public',
    { kind: 'query', urls: ['http://a/s'], sparql: 'ASK{}', mal: 2, engine: 'oxigraph', hosts: 'public' },
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
    { kind: 'init', publicUrl: 'https://a.example/b', topics: [], out: '.', yes: false, force: false },
  ],
  ['map a.json --mapping m.yml', { ...map, mapping: { file: 'm.yml' } }],
  [
    'map a.json --preset p --format nquads --count 2 --lookup b=c=d --lookup e=f',
    { ...map, mapping: { preset: 'p' }, format: 'nquads', count: 2, lookups: { b: 'c=d', e: 'f' } },
  ],
  ['map --presets', { kind: 'listPresets' }],
  ['map --preset p --print', { kind: 'printPreset', preset: 'p' }],
  ['token', { kind: 'token' }],
  ['capacity --users 10 --mal 2', capacity],
  [
    'capacity --users 10 --mal 2 --requests-per-second 2520 --deliveries-per-second 5000',
    { ...capacity, requestsPerSecond: 2520, deliveriesPerSecond: 5000 },
  ],
  ['capacity --users 10 --mal 500ms --every 1m', { ...capacity, mal: 0.5, every: 60 }],
  [
    'capacity --users 10 --mal 2 --connection-kib 7.5 --poll-connection-kib 2 --payload 100',
    { ...capacity, connectionKib: 7.5, pollConnectionKib: 2, payload: 100 },
  ],
  ['capacity --users 10 --mal 2 --cdn', { ...capacity, cdnPops: 100 }],
  ['capacity --users 10 --cdn 30 --mal 2', { ...capacity, cdnPops: 30 }],
  ['capacity --users 10 --mal 2 --measure http://localhost/a', { ...capacity, measure: 'http://localhost/a' }],
  [
    'capacity --users 10 --mal 2 --measure https://live.example.org/a --allow-remote',
    { ...capacity, measure: 'https://live.example.org/a' },
  ],
])('"%s" is understood', async (line, command) => {
  const { kind, ...options } = command;
  expect(await run(line)).toEqual([kind, options]);
});

test.each([
  ['--', 'Give a command. See ldes-live --help.'],
  ['publish a', "Unknown command 'publish'. See ldes-live --help."],
  ['serve', 'Give a configuration file, --demo, or --join. See ldes-live serve --help.'],
  ['serve a.yml --join nats://a', 'Both a.yml and --join were given'],
  ['serve --demo --join nats://a', "Option '--join <URLS>' cannot be used with option '--demo'"],
  ['serve a.yml --data d', '--data needs --join. Add --join, or omit --data.'],
  ['serve --demo --node a', '--node needs --join'],
  ['serve --join a:4222', '--join is "a:4222": give the URLs of NATS servers'],
  [
    'serve --join nats://a,nats://u:p@b',
    '--join is "nats://***@b": give the URLs of NATS servers, such as nats://a:4222,nats://b:4222',
  ],
  ['serve --join nats://s3cr/et@host:4222', '--join is "nats://***@host:4222": give'],
  ['serve --join nats://a --node a/b', '--node is "a/b": give 1 to 64'],
  ['serve --join nats://a --stream a.b', '--stream is "a.b": give 1 to 32'],
  ['serve --join nats://a --data=', 'The value is empty. Give a value.'],
  ['serve --join nats://a --credentials=', 'The value is empty. Give a value.'],
  ['serve a.yml b.yml', "Too many arguments for 'serve'. Expected 1 argument but got 2."],
  ['serve --demo --host=', "'' is invalid. The value is empty. Give a value."],
  ['serve a.yml --demo', 'Both a.yml and --demo were given. Give one of them.'],
  ['serve --demo --port', "Option '--port <PORT>' argument missing."],
  ['serve --demo --port 65536', "Option '--port <PORT>' argument '65536' is invalid. Give an integer from 0 to 65535."],
  ['serve --demo --workers 0', "'0' is invalid. Give an integer from 1 to 256."],
  ['serve --demo --prot 1', "Unknown option '--prot' (Did you mean --port?) See ldes-live serve --help."],
  ['serve --demo=yes', "Unknown option '--demo=yes'."],
  ['follow --mal 1', "Missing required argument 'URL'. See ldes-live follow --help."],
  ['follow http://a/', "Required option '--mal <SECONDS>' not specified."],
  ['follow http://a/ --mal -1', "'-1' is invalid. Give seconds, a number above 0"],
  ['follow http://a/ --mal 0', "'0' is invalid. Give seconds, a number above 0"],
  [`follow http://a/ --mal ${'9'.repeat(400)}`, "argument '999"],
  ['follow http://a/ --mal 1 --format xml', "'xml' is invalid. Allowed choices are summary, jsonld, nq."],
  ['follow http://a/ --mal 1 --bbox 1,2,3', '--bbox is "1,2,3": give west,south,east,north in degrees'],
  ['follow http://a/ --mal 1 --type vehicle', '--type is "vehicle": give an absolute IRI'],
  ['follow http://a/ --mal 1 --from yesterday', '--from is "yesterday": give latest, start, now, or a cursor'],
  ['follow http://a/ --mal 1 --count 0', "'0' is invalid. Give an integer from 1"],
  ['query http://a/s --mal 1', 'Give the URL of a stream and a query in quotes. See ldes-live query --help.'],
  ['query http://a/s ASK{}', "Required option '--mal <SECONDS>' not specified."],
  ['query http://a/s ASK{} --mal 1 --engine jena', "'jena' is invalid. Allowed choices are comunica, oxigraph."],
  ['query http://a/s ASK{} --mal 1 --window 60', "'60' is invalid. Give a length of time above 0"],
  ['check', "Missing required argument 'URL'. See ldes-live check --help."],
  ['check file:///etc', "'file:///etc' is invalid for argument 'URL'. Give an http or https URL"],
  ['check http://user:s3cr3t@a/', "'http://***@a/' is invalid for argument 'URL'. Give an http or https URL without"],
  ['check http://a/ --hosts private', "'private' is invalid. Allowed choices are any, public."],
  ['check http://a/ --pages 0', "'0' is invalid. Give an integer from 1"],
  ['init a', "Too many arguments for 'init'. Expected 0 arguments but got 1. See ldes-live init --help."],
  ['init --yes --out --force', "argument '--force' is invalid. The next argument is another option. Give a value."],
  ['follow http://a/ --mal 1 --state --from', "argument '--from' is invalid. The next argument is another option"],
  ['init --kind soap', "'soap' is invalid. Allowed choices are gtfsrt, gbfs, json,"],
  ['init --url ftp://a', "'ftp://a' is invalid. Give a URL of http, https, mqtt or mqtts."],
  ['init --every 5', "'5' is invalid. Give a duration with its unit"],
  ['init --stream health', '--stream is "health": give a name'],
  ['init --public-url a', "'a' is invalid. Give an http or https URL"],
  ['map', 'Give one sample: a file, or its URL. See ldes-live map --help.'],
  ['map a', 'Give --mapping FILE, or --preset NAME (--presets lists them).'],
  ['map a --mapping b --preset c', "Option '--preset <NAME>' cannot be used with option '--mapping <FILE>'."],
  ['map --print', '--print needs --preset'],
  ['map a --preset b --lookup c', '--lookup is "c": give NAME=FILE'],
  ['map a --preset b --format xml', "'xml' is invalid. Allowed choices are turtle, trig, nquads, ntriples, jsonld."],
  ['capacity --mal 2', "Required option '--users <N>' not specified"],
  ['capacity --users 0 --mal 2', "'0' is invalid. Give an integer from 1"],
  ['capacity --users 10 --mal 1e-9', "'1e-9' is invalid. Give seconds from 0.001 to 31536000"],
  ['capacity --users 10 --mal 2 --every soon', "'soon' is invalid. Give seconds"],
  ['capacity --users 10 --mal 2 --connection-kib 0', "'0' is invalid. Give KiB from 0.1"],
  ['capacity --users 10 --mal 2 --cdn none', "'none' is invalid. Give an integer from 1"],
  ['capacity --users 10 --mal 2 --allow-remote', '--allow-remote needs --measure'],
  ['capacity --users 10 --mal 2 --measure ftp://localhost/a', "'ftp://localhost/a' is invalid. Give an http"],
  [
    'capacity --users 10 --mal 2 --measure http://localhost/a --requests-per-second 9',
    "Option '--measure <URL>' cannot be used with option '--requests-per-second <R>'",
  ],
  ['token a', "Too many arguments for 'token'."],
])('"%s" is refused, with the remedy', async (line, message) => {
  await expect(run(line)).rejects.toMatchObject({
    code: 'ERR_USAGE',
    message: expect.stringMatching(/ See ldes-live(?: [a-z]+)? --help\.$/),
  });
  await expect(run(line)).rejects.toThrow(message);
});

test.each([
  'http://live.example.org/a',
  'http://localhost.example.org/a',
  'http://127.0.0.1.example.org/a',
  'http://128.0.0.1/a',
  'http://[::2]/a',
])('CAP-9 %s is not measured unless that is allowed', async (url) => {
  await expect(run(`capacity --users 10 --mal 2 --measure ${url}`)).rejects.toThrow(/another machine.*--allow-remote/);
});

test('arguments go to the package of the benchmarks as they are, and its exit code comes back', async () => {
  const asked: unknown[] = [];
  const bench: Commands['bench'] = async () => async (args) => asked.push(...args);
  const args = ['e1', '--quick', '--prot', '1', '--help'];
  expect(await runProgram(['bench', ...args], environment(), { bench } as Commands)).toBe(5);
  expect(asked).toEqual(args);
});

/** What Node.js throws where a package is not installed. */
const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /somewhere/bench.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });

test.each([
  ['bench all', '@ldes-live/bench', 'ERR_BENCH_MISSING'],
  ['query http://a/s ASK{} --mal 1', '@ldes-live/query', 'ERR_QUERY_MISSING'],
])('where "%s" misses its package, the error names how to install it', async (line, name, code) => {
  const fail = async () => {
    throw missing(name);
  };
  const ran = runProgram(line.split(' '), environment(), { bench: fail, query: fail } as unknown as Commands);
  await expect(ran).rejects.toMatchObject({ code, message: expect.stringContaining(`npm install ${name}`) });
});

test('what is missing of the package itself is no advice to install it', async () => {
  const error = missing('ws');
  const bench = async () => {
    throw error;
  };
  await expect(runProgram(['bench', 'all'], environment(), { bench } as unknown as Commands)).rejects.toBe(error);
});
