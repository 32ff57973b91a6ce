/* The examples as their READMEs say, and the tutorial, all beside each other. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLiveClient } from '@ldes-live/client';
import { eventually } from '@ldes-live/test-support/eventually';
import { listen, reservedPort } from '@ldes-live/test-support/net';
import { describe, expect, test } from 'vitest';
import { publishedLog } from '../support/published-log.ts';
import { answers, ROOT, startExample, startProcess } from './support/commands.ts';
import { isThere } from './support/programs.ts';
import { serveExample, startStandIn } from './support/served-example.ts';

const PATIENT = { timeout: 120_000 };
const EXAMPLES = `${ROOT}examples/`;

/** Follows a stream until there were so many changes, and tells what they said. */
async function followed(url: string, count: number, from: 'latest' | 'start' = 'latest') {
  const entities = new Set<string>();
  let text = '';
  let changes = 0;
  for await (const change of createLiveClient({ mal: 1 }).follow(url, { from })) {
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

describe.concurrent('the example', PATIENT, () => {
  test.for([
    ['gtfs-rt', 8081, 'vehicles', 24, ['#lat ', 'resultTime', 'timetable/entities/routes/10']],
    ['gbfs', 8082, 'stations', 5, ['num_vehicles_available', 'Korenmarkt', 'POINT (']],
    ['parking', 8083, 'garages', 4, ['#currentValue', 'Cathedral', 'POINT (', '#Operational']],
    ['sensorthings', 8084, 'levels', 2, ['hasSimpleResult', 'qudt.org/vocab/unit/M', '#features/31', 'Well A']],
  ] as const)(
    '%s serves what its stand-in says, and its updates',
    async ([name, usual, stream, entities, said], context) => {
      const { port } = await startStandIn(context, name);
      const base = await serveExample(context, name, { [usual]: port });
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

  test('mqtt serves what its sensors publish', async (context) => {
    context.skip(!isThere('mosquitto'), 'not installed: mosquitto');
    const { port } = await startStandIn(context, 'mqtt');
    const base = await serveExample(context, 'mqtt', { 1883: port });
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

  test('of a program of 20 lines publishes what it appends', async ({ onTestFinished }) => {
    const port = await reservedPort();
    const publisher = startExample('own-program/publisher.js', String(port));
    onTestFinished(() => publisher.stop());
    const url = `http://localhost:${port}/water`;
    await answers(url, publisher);
    const { entities, text } = await followed(url, 3);
    expect([...entities]).toEqual([`${url}/entities/gauge-1`]);
    expect(text).toMatch(/hasSimpleResult [789]\.\d\d\n/);
    const lines = readFileSync(`${EXAMPLES}own-program/publisher.js`, 'utf8').split('\n');
    expect(lines.filter((line) => line !== '' && !line.startsWith('import')).length).toBeLessThanOrEqual(20);
  });

  test.for([
    ['weather/stand-in.js', '--port', 'by --port NUMBER, and write that in config.yml too.'],
    ['mqtt/stand-in.js', '--port', 'by --port NUMBER, and write that in config.yml too.'],
    ['own-program/publisher.js', undefined, 'by an argument, such as 3206.'],
    ['browser/serve.js', undefined, 'by an argument, such as 8180.'],
  ] as const)('%s says that its port is in use, and how to choose another', async ([path, option, how], context) => {
    const other = createServer();
    context.onTestFinished(() => void other.close());
    const port = await listen(other);
    // The name localhost may mean the other loopback address.
    const other6 = createServer()
      .listen(port, '::1')
      .on('error', () => {});
    context.onTestFinished(() => void other6.close());
    const program = startExample(path, ...(option ? [option] : []), String(port));
    context.onTestFinished(() => program.stop());
    expect(await program.ended).toBe(1);
    expect(program.errorOutput()).toMatch(new RegExp(`^Port ${port} is in use: stop .* or choose another ${how}\n$`));
  });

  test('of each kind has ports of its own, which the list of examples has', () => {
    const list = readFileSync(`${EXAMPLES}README.md`, 'utf8');
    const ports = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
      .filter((path) => /^[\w-]+\/config\.yml$/.test(path))
      .map((path) => /^publicUrl: http:\/\/localhost:(\d+)\/$/m.exec(readFileSync(EXAMPLES + path, 'utf8'))?.[1]);
    expect(ports.length).toBe(6);
    expect(new Set([...ports, '3000']).size).toBe(7);
    for (const port of ports) expect(list).toMatch(new RegExp(`^\\| .*\\b${port}\\b`, 'm'));
  });

  test('of a shell script posts what is published, and nothing without the token', async (context) => {
    const url = `${await serveExample(context, 'own-program')}water`;
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
});

describe.concurrent('the hand-over from ldes-client', PATIENT, () => {
  const HISTORY = 600;
  const LIVE = 3000;

  test('loses and doubles nothing of a log that goes on all the time', async () => {
    const published = await publishedLog({ clock: Date.now });
    const { log, url } = published;
    let isOver = false;
    const publish = async () => {
      for (let value = 0; !isOver; value += 1) {
        await published.publish(1 + (value % 7));
        if (log.head.cursor.sequence > HISTORY) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const publishing = publish();
    await eventually(() => expect(log.head.cursor.sequence).toBeGreaterThan(HISTORY));
    const example = startExample('hand-over/hand-over.js', url, '--mal', '1', '--members', String(LIVE));
    const code = await example.ended;
    isOver = true;
    await publishing;
    expect(code, example.output() + example.errorOutput()).toBe(0);
    const [, members, last] =
      /history: +(\d+) members by ldes-client, the last is number (\d+)/.exec(example.output()) ?? [];
    expect(Number(members)).toBe(Number(last));
    expect(Number(last)).toBeGreaterThan(HISTORY);
    // It was published on while the history was read, so that there was something to lose.
    expect(log.head.cursor.sequence).toBeGreaterThanOrEqual(Number(last) + LIVE);
    // What came while the history was read is pulled; the rest comes as it happens.
    const [, pulled, pushed] = /from \w+-\d+: (\d+) pulled, (\d+) pushed\n/.exec(example.output()) ?? [];
    expect(Number(pulled)).toBeGreaterThan(0);
    expect(Number(pushed)).toBeGreaterThan(0);
    expect(Number(pulled) + Number(pushed)).toBe(LIVE);
    expect(example.output()).toContain(
      `every sequence number from 1 to ${Number(last) + LIVE} once, in order: nothing lost, nothing doubled`,
    );
    await published.close();
  });

  test('says what to do where no server runs', async () => {
    const example = startExample('hand-over/hand-over.js', 'http://localhost:1/vehicles');
    expect(await example.ended).toBe(1);
    expect(example.errorOutput()).toMatch(/^http:\/\/localhost:1\/vehicles could not be read .*npm start\n$/);
  });

  test.for([
    ['lost', [2, 1, 3], [5, 6], 'after 3 came 5, not 4'],
    ['doubled at the seam', [1, 2, 3], [3, 4], 'after 3 came 3, not 4'],
    ['doubled in the history', [1, 2, 2], [3], 'after 2 came 2, not 3'],
    ['out of order', [1], [3, 2], 'after 1 came 3, not 2'],
    ['nothing', [], [], 'after nothing came nothing, not 1'],
  ] as const)('notices in its proof what is %s', async ([, history, live, text]) => {
    // Plain JavaScript, which the types of the tests do not cover.
    const { proof } = await import(/* @vite-ignore */ `${EXAMPLES}hand-over/proof.js`);
    expect(proof(history, live)).toEqual({ isWhole: false, text: `together: ${text}` });
  });
});

describe.concurrent('the tutorial', PATIENT, () => {
  const [, section = ''] =
    /^## From unknown JSON to a stream\n([\s\S]*?)^## /m.exec(readFileSync(`${ROOT}docs/publish-an-api.md`, 'utf8')) ??
    [];
  const blocks = [...section.matchAll(/^```sh(?: serves)?\n([\s\S]*?)^```$/gm)];
  // One of them comes twice.
  const commands = new Set(blocks.flatMap(([, block]) => (block as string).trim().replace(/ +#.*/, '').split('\n')));

  test('leads from unknown JSON to a running stream, by the commands as they stand', async ({ onTestFinished }) => {
    // A folder of somebody who has the project: its examples, and its command.
    const cwd = mkdtempSync(join(tmpdir(), 'ldes-live-tutorial-'));
    for (const name of ['examples', 'node_modules']) symlinkSync(join(ROOT, name), join(cwd, name));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    const run = (command: string) => {
      // npx starts it by a shell.
      const running = startProcess('sh', ['-c', command], { cwd, detached: true });
      onTestFinished(() => running.stop());
      return running;
    };
    const [data, server] = [await reservedPort(), await reservedPort()];
    // The same commands, on ports that nobody else has.
    const here = (command: string | undefined, options = '') =>
      `${command?.replaceAll('localhost:8085', `localhost:${data}`).replaceAll('localhost:3100', `localhost:${server}`)}${options}`;
    const [standIn, init, map, serve, follow, ...others] = commands;
    expect(others).toEqual([]);

    await run(here(standIn, ` --port ${data}`)).prints(/\/weather\.json/);

    const initialised = run(here(init));
    expect(await initialised.ended, initialised.errorOutput()).toBe(0);
    // What it says to do next is what the tutorial does.
    for (const next of [map?.replace(' --count 1', ''), serve, follow?.replace('--mal 1 --count 8', '--mal 10')]) {
      expect(initialised.output()).toContain(`  ${here(next)}`);
    }

    const shown = async () => {
      const mapped = run(here(map));
      expect(await mapped.ended, mapped.errorOutput()).toBe(0);
      expect(mapped.output()).toContain('/entities/HARBOUR>');
      expect(mapped.output()).toMatch(/own:temperature "\d+\.\d"/);
      expect(mapped.errorOutput()).toContain(
        '3 records: 3 mapped (1 shown), 0 not.\nEvery field of the records is mapped, or listed in leftOut.\n',
      );
      return mapped.output();
    };
    expect(await shown()).not.toMatch(/resultTime|POINT/);
    // What stands there in comments is taken by taking the comments away.
    const mapping = join(cwd, 'weather/weather.mapping.yml');
    const taken = readFileSync(mapping, 'utf8').replaceAll(/^( *)# (versionTime:|ignoreForChange:|- )/gm, '$1$2');
    writeFileSync(mapping, taken);
    const withMeaning = await shown();
    expect(withMeaning).toMatch(/sosa:resultTime "\d{4}-/);
    expect(withMeaning).toContain('geo:asWKT "POINT (2.9108 51.2335)"');

    const served = run(here(serve, ` --port ${server}`));
    await served.prints(/It listens on/);
    const reading = run(here(follow));
    expect(await reading.ended, reading.errorOutput()).toBe(0);
    expect(reading.output()).not.toBe('');

    const latest = await fetch(`http://localhost:${server}/weather/latest`, { headers: { accept: 'text/turtle' } });
    const text = await latest.text();
    for (const code of ['HARBOUR', 'DUNES', 'AIRFIELD']) expect(text).toContain(`/weather/entities/${code}`);
    // npx may have its own say there.
    expect(served.errorOutput()).not.toContain('ERR_');
  });
});
