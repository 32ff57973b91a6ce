import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseQuads } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { expect, test } from 'vitest';
import { jsonServer } from './json-server.ts';
import { runCommand, served } from './run-command.ts';

const PATIENT = { timeout: 30_000 };

async function values(url: string, predicate: string): Promise<string[]> {
  const response = await fetch(url, { headers: { accept: 'text/turtle' } });
  const quads = await parseQuads(await response.text(), 'turtle', url);
  return quads.filter((quad) => quad.predicate.value === predicate).map(({ object }) => object.value);
}

test('what init writes of an unknown URL is served, follows the data, and its problems are told', PATIENT, async () => {
  const documents: Record<string, unknown> = { '/rooms.json': [{ id: 1, heat: 20.5 }] };
  const url = await jsonServer(documents);
  const folder = await temporaryFolder();
  const args = ['--url', `${url}/rooms.json`, '--every', '100ms', '--out', folder, '--yes'];
  expect((await runCommand('init', ...args)).code).toBe(0);
  const config = join(folder, 'config.yml');
  await writeFile(config, (await readFile(config, 'utf8')).replace(/^store: .*$/m, 'store: memory'));
  documents['/rooms.json'] = [{ id: 1, heat: 20.5, level: 3 }];
  const { base, process } = await served(config);
  const heat = 'http://localhost:3000/rooms/terms#heat';
  expect(await values(`${base}rooms/latest`, heat)).toEqual(['20.5']);
  documents['/rooms.json'] = [{ id: 1, heat: 21.5 }, { id: 2, heat: 19.5 }, { heat: 22.5 }];
  await eventually(async () => expect((await values(`${base}rooms/latest`, heat)).sort()).toEqual(['19.5', '21.5']), {
    forMs: 10_000,
  });
  await eventually(() =>
    expect(process.stderr.text).toMatch(
      /"stream":"rooms","origin":"http:[^"]+\/rooms\.json","code":"ERR_MAPPING_RECORD","message":"Record 3 .*line \d+.*\bid\b/,
    ),
  );
  expect(
    process.stderr.text.match(
      /"origin":"http:[^"]+\/rooms\.json","code":"ERR_MAPPING_UNMAPPED","message":"[^"]*: level\. /g,
    ),
  ).toHaveLength(1);
  const shape = await fetch(`${base}rooms/shape`, { headers: { accept: 'text/turtle' } });
  expect(await shape.text()).toContain(heat);
});

test('what init writes for posts takes them, by its token only', PATIENT, async () => {
  const folder = await temporaryFolder();
  const { output } = await runCommand('init', '--kind', 'post', '--stream', 'water', '--out', folder);
  const token = /Bearer ([\w-]+)'/.exec(output)?.[1] as string;
  const config = join(folder, 'config.yml');
  await writeFile(config, (await readFile(config, 'utf8')).replace(/^store: .*$/m, 'store: memory'));
  const { base } = await served(config);
  const post = (authorization: string) =>
    fetch(`${base}water`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'text/turtle' },
      body: '<http://a.example/gauges/1> <http://a.example/level> 2.5 .',
    });
  expect((await post('Bearer wrong')).status).toBeGreaterThanOrEqual(401);
  expect((await post(`Bearer ${token}`)).status).toBeLessThan(300);
  await eventually(async () => expect(await values(`${base}water/latest`, 'http://a.example/level')).toEqual(['2.5']));
});
