import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createLiveClient } from '@ldes-live/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startExample } from './support/example-process.ts';
import { isThere } from './support/programs.ts';
import { freePort, serveExample, startStandIn } from './support/served-example.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const PATIENT = { timeout: 120_000 };

/** Follows a stream until there were so many changes, and tells what they said. */
async function followed(
  url: string,
  count: number,
  from: 'latest' | 'start' = 'latest',
): Promise<{ readonly entities: Set<string>; readonly text: string }> {
  const client = createLiveClient({ mal: 1 });
  const entities = new Set<string>();
  let text = '';
  let changes = 0;
  for await (const change of client.follow(url, { from })) {
    if (change.kind !== 'upsert') continue;
    entities.add(change.member.entity);
    for (const { predicate, object } of change.member.quads) text += `${predicate.value} ${object.value}\n`;
    changes += 1;
    if (changes >= count) break;
  }
  return { entities, text };
}

const isFine = async (base: string) => {
  const health = (await (await fetch(`${base}health`)).json()) as {
    readonly status: string;
    readonly streams: Record<string, { sources: { errors: object; findings: object }[] }>;
  };
  expect(health.status).toBe('ok');
  for (const { sources } of Object.values(health.streams)) {
    for (const { errors, findings } of sources) expect([errors, findings]).toEqual([{}, {}]);
  }
};

test.each([
  ['gtfs-rt', 8081, 'vehicles', 24, ['#lat ', 'resultTime', '/id/routes/10']],
  ['gbfs', 8082, 'stations', 5, ['num_vehicles_available', 'Korenmarkt', 'POINT (']],
  ['parking', 8083, 'garages', 4, ['#currentValue', 'Cathedral', 'POINT (', '#Operational']],
  ['sensorthings', 8084, 'levels', 2, ['hasSimpleResult', 'http://qudt.org/vocab/unit/M', '/id/features/31', 'Well A']],
] as const)(
  'the example %s serves what its stand-in says, and its updates',
  PATIENT,
  async (name, usual, stream, entities, said) => {
    const { port } = await startStandIn(name);
    const base = await serveExample(name, { [usual]: port });
    // All that is there, and a few of what changes then; of observations, those of the second page too.
    const { entities: told, text } =
      name === 'sensorthings'
        ? await followed(`${base}${stream}`, 42, 'start')
        : await followed(`${base}${stream}`, entities + 2);
    expect(told.size).toBe(entities);
    for (const part of said) expect(text).toContain(part);
    await isFine(base);
  },
);

describe.skipIf(!isThere('mosquitto'))('where Mosquitto is installed', () => {
  test('the example mqtt serves what its sensors publish', PATIENT, async () => {
    const { port } = await startStandIn('mqtt');
    const base = await serveExample('mqtt', { 1883: port });
    const { entities, text } = await followed(`${base}rooms`, 9);
    expect([...entities].map((iri) => iri.slice(`${base}rooms`.length)).sort()).toEqual([
      '/entities/attic/temperature',
      '/entities/hall/temperature',
      '/entities/kitchen/temperature',
    ]);
    expect(text).toContain('numericValue');
    expect(text).toContain('http://qudt.org/vocab/unit/DEG_C');
    await isFine(base);
  });
});

test('the program of 20 lines publishes what it appends', PATIENT, async () => {
  const port = await freePort();
  const publisher = startExample('own-program/publisher.js', String(port));
  onTestFinished(() => publisher.stop());
  const url = `http://localhost:${port}/water`;
  await vi.waitFor(async () => expect((await fetch(url)).ok).toBe(true), { timeout: 60_000 });
  const { entities, text } = await followed(url, 3);
  expect([...entities]).toEqual([`${url}/entities/gauge-1`]);
  expect(text).toMatch(/hasSimpleResult [789]\.\d\d\n/);
  const lines = readFileSync(`${EXAMPLES}own-program/publisher.js`, 'utf8').split('\n');
  expect(lines.filter((line) => line !== '' && !line.startsWith('import')).length).toBeLessThanOrEqual(20);
});

test('what the shell script posts is published, and nothing without the token', PATIENT, async () => {
  const base = await serveExample('own-program');
  const url = `${base}water`;
  const post = (level: string, token?: string) =>
    promisify(execFile)(`${EXAMPLES}own-program/post.sh`, [level, url], {
      env: { ...process.env, ...(token === undefined ? {} : { TOKEN: token }) },
    });
  await post('8.42');
  await expect(post('9.99', 'wrong')).rejects.toMatchObject({ stdout: expect.stringContaining('ERR_TOKEN_UNKNOWN') });
  await post('8.43');
  const { entities, text } = await followed(url, 1);
  expect([...entities]).toEqual([`${url}/entities/gauge-1`]);
  expect(text).toContain('hasSimpleResult 8.43');
  expect(text).not.toContain('9.99');
});
