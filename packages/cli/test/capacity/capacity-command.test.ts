import { expect, test } from 'vitest';
import { parseCommandLine } from '../../src/command-line.ts';

const parse = (line: string) => parseCommandLine(['capacity', ...line.split(' ').filter(Boolean)]);
const plain = { kind: 'capacity', users: 10, mal: 2, format: 'text' };

test.each([
  ['--users 10 --mal 2', plain],
  ['--users=10 --mal=0.5 --every 20', { ...plain, mal: 0.5, every: 20 }],
  ['--users 10 --mal 2 --payload 0 --format json', { ...plain, payload: 0, format: 'json' }],
  [
    '--users 10 --mal 2 --requests-per-second 2520 --deliveries-per-second 5000',
    { ...plain, requestsPerSecond: 2520, deliveriesPerSecond: 5000 },
  ],
  ['--users 10 --mal 500ms --every 1m', { ...plain, mal: 0.5, every: 60 }],
  [
    '--users 10 --mal 2 --connection-kib 7.5 --poll-connection-kib 2',
    { ...plain, connectionKib: 7.5, pollConnectionKib: 2 },
  ],
  ['--users 10 --mal 2 --cdn', { ...plain, cdnPops: 100 }],
  ['--cdn --users 10 --mal 2', { ...plain, cdnPops: 100 }],
  ['--users 10 --cdn 30 --mal 2', { ...plain, cdnPops: 30 }],
  ['--users 10 --cdn=30 --mal 2', { ...plain, cdnPops: 30 }],
  ['--users 10 --mal 2 --measure http://localhost:3000/a', { ...plain, measure: 'http://localhost:3000/a' }],
  ['--users 10 --mal 2 --measure http://127.8.0.1/a', { ...plain, measure: 'http://127.8.0.1/a' }],
  ['--users 10 --mal 2 --measure http://[::1]:3000/a', { ...plain, measure: 'http://[::1]:3000/a' }],
  [
    '--users 10 --mal 2 --measure https://live.example.org/a --allow-remote',
    { ...plain, measure: 'https://live.example.org/a' },
  ],
])('%s', (line, command) => {
  expect(parse(line)).toEqual(command);
});

test.each([
  ['', /^Give --users:/],
  ['--users 10', /^Give --mal:/],
  ['--users 0 --mal 2', /^--users is "0": give an integer from 1/],
  ['--users -5 --mal 2', /^--users is "-5": give an integer from 1 to 1000000000000\. See/],
  ['--users 10 --mal 1e-9', /^--mal is "1e-9": give seconds from 0.001 to 31536000/],
  ['--users 10 --mal 1e12', /^--mal is "1e12": give seconds from 0.001 to 31536000/],
  ['--users 10 --mal 400d', /^--mal is "400d": give seconds from 0.001 to 31536000/],
  ['--users 10 --mal 2 --connection-kib 0', /^--connection-kib is "0": give KiB from 0.1/],
  ['--users many --mal 2', /^--users is "many"/],
  ['--users 10 --mal 0', /^--mal is "0": give seconds/],
  ['--users 10 --mal 2 --every -1', /^--every is "-1"/],
  ['--users 10 --mal 2 --every soon', /^--every is "soon": give seconds/],
  ['--users 10 --mal 2 --payload 1.5', /^--payload is "1.5"/],
  ['--users 10 --mal 2 --requests-per-second 0', /^--requests-per-second is "0"/],
  ['--users 10 --mal 2 --deliveries-per-second x', /^--deliveries-per-second is "x"/],
  ['--users 10 --mal 2 --cdn none', /^--cdn is "none"/],
  ['--users 10 --mal 2 --cdn 0', /^--cdn is "0"/],
  ['--users 10 --mal 2 --format xml', /^--format is "xml": give one of text, json/],
  ['--users 10 --mal 2 --allow-remote', /^--allow-remote belongs to --measure URL/],
  ['--users 10 --mal 2 --measure ftp://localhost/a', /^--measure is "ftp:\/\/localhost\/a": give a URL of HTTP/],
  [
    '--users 10 --mal 2 --measure http://localhost/a --requests-per-second 9',
    /^Both --requests-per-second and --measure were given/,
  ],
  ['--users 10 --mal 2 --more', /--more/],
  ['--users 10 --mal 2 extra', /extra/],
])('%s makes no command', (line, problem) => {
  expect(() => parse(line)).toThrow(
    expect.objectContaining({ code: 'ERR_USAGE', message: expect.stringMatching(problem) }),
  );
  expect(() => parse(line)).toThrow(/See ldes-live capacity --help\.$/);
});

test.each([
  'http://live.example.org/a',
  'http://localhost.example.org/a',
  'http://127.0.0.1.example.org/a',
  'http://128.0.0.1/a',
  'http://[::2]/a',
])('CAP-9 %s is not measured unless that is allowed', (url) => {
  expect(() => parse(`--users 10 --mal 2 --measure ${url}`)).toThrow(/on another machine.*--allow-remote/);
});
