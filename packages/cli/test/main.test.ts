import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { helpTexts } from '../src/help-text.ts';
import { main } from '../src/main.ts';
import { fakeProcess } from './fake-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ldes-live-main-'));
});
afterAll(() => rm(folder, { recursive: true }));

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
  const file = join(folder, 'none.yml');
  const process = fakeProcess(['serve', file]);
  expect(await main(process)).toBe(1);
  expect(process.stderr.text).toBe(
    `ERR_CONFIG_UNREADABLE: The configuration ${file} cannot be read (ENOENT): give the path of a YAML file, or --demo for the demonstration.\n`,
  );
});

test('a wrong configuration ends with 1, each mistake on a line', async () => {
  const file = join(folder, 'wrong.yml');
  await writeFile(file, 'publicUrl: http://a/\nstreams:\n  a: { source: { gtfsRt: b, every: c } }\n');
  const process = fakeProcess(['serve', file]);
  expect(await main(process)).toBe(1);
  expect(process.stderr.text.split('\n')).toEqual([
    expect.stringContaining('ERR_CONFIG_INVALID'),
    expect.stringMatching(/wrong\.yml:3:26 streams\.a\.source\.gtfsRt: found "b"/),
    expect.stringMatching(/wrong\.yml:3:36 streams\.a\.source\.every: found "c"/),
    '',
  ]);
});

test('a URL that leads to no stream ends with 1', async () => {
  const process = fakeProcess(['follow', 'file:///etc', '--mal', '1']);
  expect(await main(process)).toBe(1);
  expect(process.stderr.text).toMatch(/^ERR_STREAM_URL_INVALID: "file:\/\/\/etc"/);
});

test('listeners for signals are taken away in the end', async () => {
  const process = fakeProcess([]);
  await main(process);
  expect(process.signal('SIGINT')).toBe(false);
  expect(process.signal('SIGTERM')).toBe(false);
});
