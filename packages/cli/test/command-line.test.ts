import { expect, test } from 'vitest';
import { parseCommandLine } from '../src/command-line.ts';

const parse = (line: string) => parseCommandLine(line.split(' ').filter((word) => word !== ''));
const follow = { kind: 'follow', url: 'http://a/s', mal: 10, format: 'summary' };
const serve = { kind: 'serve', port: 3000, host: '127.0.0.1' };

test.each([
  ['', { kind: 'help', topic: 'ldes-live' }],
  ['--help', { kind: 'help', topic: 'ldes-live' }],
  ['-h', { kind: 'help', topic: 'ldes-live' }],
  ['--version', { kind: 'version' }],
  ['serve --help', { kind: 'help', topic: 'serve' }],
  ['follow -h', { kind: 'help', topic: 'follow' }],
  ['serve --demo', serve],
  ['serve live.yml', { ...serve, configFile: 'live.yml' }],
  ['serve --port 0 live.yml --host 0.0.0.0', { kind: 'serve', configFile: 'live.yml', port: 0, host: '0.0.0.0' }],
  ['serve --demo --port=65535', { ...serve, port: 65_535 }],
  ['serve --demo --workers 1', { ...serve, workers: 1 }],
  ['serve live.yml --workers 256', { ...serve, configFile: 'live.yml', workers: 256 }],
  ['follow http://a/s --mal 10', follow],
  ['follow --mal 0.5 http://a/s', { ...follow, mal: 0.5 }],
  ['follow http://a/s --mal .5 --from start', { ...follow, mal: 0.5, from: 'start' }],
  ['follow http://a/s --mal 10 --from now --format nq', { ...follow, from: 'now', format: 'nq' }],
  ['follow http://a/s --mal 10 --from k3x9a-42 --format jsonld', { ...follow, from: 'k3x9a-42', format: 'jsonld' }],
  ['follow http://a/s --mal 10 --count 1 --state f.json', { ...follow, count: 1, stateFile: 'f.json' }],
  ['check -h', { kind: 'help', topic: 'check' }],
  ['check http://a/s', { kind: 'check', url: 'http://a/s', pages: 20, format: 'text' }],
  ['check https://a/s --pages 3 --format json', { kind: 'check', url: 'https://a/s', pages: 3, format: 'json' }],
])('"%s" is understood', (line, command) => {
  expect(parse(line)).toEqual(command);
});

test.each([
  ['bench all', '"bench" is no command: the commands are serve, follow and check. See ldes-live --help.'],
  ['--port 1', '"--port" is no command'],
  ['serve', 'Give a configuration file, or --demo. See ldes-live serve --help.'],
  ['serve a.yml b.yml', 'One configuration can be served, not 2.'],
  ['serve a.yml --demo', 'Both a.yml and --demo were given: choose one.'],
  ['serve --demo --port', "Option '--port <value>' argument missing."],
  ['serve --demo --port 65536', '--port is "65536": give an integer from 0 to 65535.'],
  ['serve --demo --port=-1', '--port is "-1"'],
  ['serve --demo --port 1e3', '--port is "1e3"'],
  ['serve --demo --workers 0', '--workers is "0": give an integer from 1 to 256.'],
  ['serve --demo --workers 257', '--workers is "257"'],
  ['serve --demo --prot 1', "Unknown option '--prot'. See ldes-live serve --help."],
  ['serve --demo=yes', "Option '--demo' does not take an argument."],
  ['follow --mal 1', 'Give the URL of one stream. See ldes-live follow --help.'],
  ['follow http://a/ http://b/ --mal 1', 'Give the URL of one stream.'],
  ['follow http://a/', 'Give --mal: how late an update may be, in seconds.'],
  ['follow http://a/ --mal 0', '--mal is "0": give seconds, a number above 0'],
  ['follow http://a/ --mal 10s', '--mal is "10s"'],
  ['follow http://a/ --mal Infinity', '--mal is "Infinity"'],
  [`follow http://a/ --mal ${'9'.repeat(400)}`, '--mal is "999'],
  ['follow http://a/ --mal 1 --format xml', '--format is "xml": give one of summary, jsonld, nq.'],
  ['follow http://a/ --mal 1 --from yesterday', '--from is "yesterday": give latest, start, now, or a cursor'],
  ['follow http://a/ --mal 1 --count 0', '--count is "0": give an integer from 1'],
  ['check', 'Give the URL of one stream. See ldes-live check --help.'],
  ['check file:///etc', '"file:///etc" is no URL of HTTP'],
  ['check vehicles', '"vehicles" is no URL of HTTP'],
  ['check http://a/ --pages 0', '--pages is "0": give an integer from 1'],
  ['check http://a/ --format xml', '--format is "xml": give one of text, json.'],
])('"%s" is refused, with the remedy', (line, message) => {
  expect(() => parse(line)).toThrow(
    expect.objectContaining({ code: 'ERR_USAGE', message: expect.stringContaining(message) }),
  );
});
