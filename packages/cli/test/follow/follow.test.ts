import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { FollowerState, LiveStatus, MemberChange } from '@ldes-live/client';
import { createMemoryStore } from '@ldes-live/log';
import { describeStream, parseQuads, prefixes } from '@ldes-live/rdf-stream';
import { createLiveServer } from '@ldes-live/server';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { httpServer, reservedPort } from '@ldes-live/test-support/net';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { batches, positions, presentationFor, readState, reportingFetch, writeState } from '../../src/follow/follow.ts';
import { TextOutput } from '../../src/terminal.ts';
import { Recorder } from '../fake-process.ts';
import { FakeTerminal, fakeEnvironment } from '../fake-terminal.ts';
import { runCommand } from '../run-command.ts';
import { change, gap, START } from './made-changes.ts';

const status = { mode: 'push', reason: 'because', isInTrouble: false, isCaughtUp: true } as LiveStatus;

async function presented(format: 'summary' | 'jsonld' | 'nq', stdout = new Recorder(), env = {}) {
  const environment = fakeEnvironment(stdout, START, env);
  const options = { url: 'http://a/s', mal: 1, format, filter: {} } as const;
  const presentation = await presentationFor(options, environment, new TextOutput(stdout));
  await presentation.refresh(status);
  return { stdout, stderr: environment.stderr, presentation };
}

const BASE = 'https://live.example/base/';
const TEXT = `
  @prefix live: <${BASE}ns/live#>. @prefix rt: <${prefixes.rt}>. @prefix dct: <http://purl.org/dc/terms/>.
  <v1> live:sequence 7 ; rt:speed 1.5 ; dct:isVersionOf <v> ; <https://other.example/ns#p> "x" .
`;
const published = async (): Promise<MemberChange> => {
  const made = change('1');
  return { ...made, member: { ...made.member, quads: await parseQuads(TEXT, 'turtle', BASE) } };
};

test('JSON-LD is a document a line, with the prefixes that the documents of the publisher have', async () => {
  const { stdout, presentation } = await presented('jsonld');
  await presentation.print([await published(), gap]);
  expect(stdout.text.split('\n')).toHaveLength(2);
  const { '@context': context, ...properties } = JSON.parse(stdout.text);
  expect(context).toMatchObject({ live: `${BASE}ns/live#`, rt: prefixes.rt });
  const names = ['@id', 'live:sequence', 'rt:speed', 'dct:isVersionOf', 'https://other.example/ns#p'];
  expect(Object.keys(properties)).toEqual(names);
});

test.each([
  ['jsonld', 'jsonld'],
  ['nq', 'nquads'],
] as const)('%s is read back as it was; also on a terminal gaps and status go elsewhere', async (format, name) => {
  const { stdout, stderr, presentation } = await presented(format, new FakeTerminal());
  const made = await published();
  await presentation.print([gap, made]);
  const read = await parseQuads(stdout.text, name, BASE);
  expect(read).toHaveLength(made.member.quads.length);
  for (const quad of made.member.quads) expect(read.some((other) => other.equals(quad))).toBe(true);
  expect(stderr.text).toMatch(/ {2}push: because\n.* {2}gap {3}e-1 cannot be continued/);
});

test.each([
  ['output is not a terminal', new Recorder(), { TERM: 'xterm' }],
  ['the terminal is dumb', new FakeTerminal(), { TERM: 'dumb' }],
])('where the %s, lines are printed, else a view', async (_, stdout, env) => {
  const { presentation, stderr } = await presented('summary', stdout, env);
  await presentation.print([change('1')]);
  expect(stdout.text).not.toContain('\u001b');
  expect(stdout.text.split('\n')).toHaveLength(4);
  expect(stderr.text).toBe('');
  expect((await presented('summary', new FakeTerminal(), { TERM: 'xterm' })).stdout.text).toContain('\u001b');
});

test.each([{}, { connection: 'close' }])('follow reports the bytes that came over the wire: %j', async (fields) => {
  const sockets = new Set<Socket>();
  const server = await httpServer(({ socket, headers, url = '/' }, response) => {
    sockets.add(socket);
    const root = `http://${headers.host}/`;
    const text = `@prefix tree: <https://w3id.org/tree#> . <${root}#s> tree:view <${root}> ; tree:member <${root}#m${url}> .
      <${root}> tree:relation [ a tree:Relation ; tree:node <${root}2> ] . <${root}#m${url}> <urn:text> "${'long '.repeat(2_000)}" .`;
    // In parts, so that nothing says how long it is.
    response.writeHead(200, { 'content-type': 'text/turtle', 'content-encoding': 'gzip', ...fields });
    response.write(gzipSync(text).subarray(0, 20));
    response.end(gzipSync(text).subarray(20));
  });
  onTestFinished(() => server.close());
  const { code, errorOutput } = await runCommand('follow', server.url, '--mal', '60', '--count', '2');
  expect(code).toBe(0);
  const written = [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
  expect(errorOutput).toMatch(new RegExp(`2 requests, ${written} bytes received; `));
  expect(written).toBeLessThan(2_000);
});

test('that a stream leads to another origin is reported once, with both', async () => {
  const port = await reservedPort();
  const publicUrl = `http://localhost:${port}/`;
  const description = describeStream({ publicUrl, name: 's', title: 'S' });
  const log = await createMemoryStore({ clock: Date.now, random: () => 0.5 }).open(description);
  await log.append([{ kind: 'upsert', entity: `${publicUrl}s/1`, origin: 'o', fingerprint: '1', quads: [] }]);
  const server = await createLiveServer({ publicUrl, streams: [{ description, log }] });
  await server.listen({ host: '127.0.0.1', port });
  onTestFinished(() => server.close());
  const args = ['--mal', '60', '--format', 'nq', '--count', '1'];
  const { code, output, errorOutput } = await runCommand('follow', `http://127.0.0.1:${port}/s`, ...args);
  expect(code).toBe(0);
  expect(output).toContain('/s/1');
  const told = errorOutput.split('\n').filter((line) => line.includes(' leads to '));
  expect(told.map((line) => line.slice(10))).toEqual([
    `the stream at http://127.0.0.1:${port} leads to http://localhost:${port}, and is read from there`,
  ]);
});

test('where that origin answers 404 again and again, the publicUrl is said to be likely wrong', async () => {
  const told: string[] = [];
  let status = 404;
  const answer: typeof fetch = async () => new Response('', { status });
  const ask = reportingFetch('http://a.example/s', (text) => void told.push(text), answer);
  const context = { headers: { accept: 'application/ld+json, application/json;q=0.9' } };
  for (const url of ['http://a.example/s', 'http://a.example/s/latest']) await ask(url);
  await ask('http://c.example/context', context);
  expect(told).toEqual([]);
  const missing = async (count: number) => {
    for (let index = 0; index < count; index += 1) await ask('http://b.example/s/latest');
  };
  await missing(2);
  status = 200;
  await missing(1);
  status = 404;
  await missing(2);
  expect(told).toEqual(['the stream at http://a.example leads to http://b.example, and is read from there']);
  await ask('http://a.example/s');
  await missing(2);
  expect(told.slice(1)).toEqual([
    'http://b.example repeatedly answers 404: the publicUrl of the server at http://a.example is probably wrong',
  ]);
});

async function collected<Item>(items: AsyncIterable<Item>, limit?: number): Promise<(readonly Item[])[]> {
  const all: (readonly Item[])[] = [];
  for await (const batch of batches(items, () => ({}), limit)) all.push(batch.items);
  return all;
}

test('what is there without waiting is one batch', async () => {
  const items = (async function* () {
    yield* [1, 2, 3];
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    yield* [4, 5];
  })();
  expect(await collected(items)).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test('a failure comes after what came before it, also while the batch is being worked on', async () => {
  const items = (async function* () {
    yield 1;
    throw new Error('broken');
  })();
  const seen: number[] = [];
  const reading = (async () => {
    for await (const batch of batches(items, () => ({}))) {
      seen.push(...batch.items);
      for (let turn = 0; turn < 5; turn++) await nextTurn();
    }
  })();
  await expect(reading).rejects.toThrow('broken');
  expect(seen).toEqual([1]);
});

test('whoever stops reading ends the iteration below', async () => {
  let isEnded = false;
  const items = (async function* () {
    try {
      for (let item = 0; ; item++) yield item;
    } finally {
      isEnded = true;
    }
  })();
  for await (const batch of batches(items, () => ({}), 2)) {
    expect(batch.items).toEqual([0, 1]);
    break;
  }
  expect(isEnded).toBe(true);
});

test.each([1, 2, 3, 100])(
  'in batches of %i, a mark is of what had been delivered with its batch, and no more',
  async (limit) => {
    let delivered = 0;
    const items = (async function* () {
      for (let item = 1; item <= 10; item++) {
        if (item % 4 === 0) for (let turn = 0; turn < 3; turn++) await nextTurn();
        delivered = item;
        yield item;
      }
    })();
    for await (const { items: batch, mark } of batches(items, () => ({ delivered }), limit)) {
      expect(mark.delivered).toBe(batch.at(-1));
      for (let turn = 0; turn < 5; turn++) await nextTurn();
    }
    expect(delivered).toBe(10);
  },
);

test.each([
  ['a log', true, {}, 3],
  ['a log', false, {}, 3],
  ['a tree', true, { tree: {} }, 3],
  ['a tree', false, { tree: {} }, 1],
])('the position in %s that is kept (%s) is made as often as it is of use', (_, isKept, of, times) => {
  let made = 0;
  const follower = {
    get state(): FollowerState {
      made += 1;
      return { url: 'http://a/s', cursor: `a-${made}`, ...(of as object) };
    },
  };
  const position = positions(follower, isKept);
  expect([position(), position(), position()].at(-1)).toMatchObject({ cursor: `a-${times}` });
  expect(made).toBe(times);
});

describe('state file', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
    file = join(folder, 'state.json');
  });

  const first = { url: 'http://localhost/vehicles', cursor: 'a-1' };

  test('there is no position before one was kept', async () => {
    expect(await readState(file)).toBeUndefined();
  });

  test('what was kept last is read, and nothing else is left behind', async () => {
    await writeState(file, first);
    await writeState(file, { ...first, cursor: 'a-2' });
    expect(await readState(file)).toEqual({ ...first, cursor: 'a-2' });
    expect(await readdir(folder)).toEqual(['state.json']);
  });

  test.each(['', 'null', '{"cursor":"a-1"}', '{"url":"http://localhost/"}', '{"url":"http://localhost/","tree":1}'])(
    'what holds no position is refused: %s',
    async (text) => {
      await writeFile(file, text);
      await expect(readState(file)).rejects.toThrow('it does not contain a position');
    },
  );

  test('a position that cannot be written leaves the one before it', async () => {
    await writeState(file, first);
    const part = `${file}.${process.pid}.part`;
    await mkdir(part);
    await expect(writeState(file, { ...first, cursor: 'a-2' })).rejects.toThrow('EISDIR');
    // The next run says so before it follows anything.
    await expect(readState(file)).rejects.toThrow('EISDIR');
    await rm(part, { recursive: true });
    expect(await readState(file)).toEqual(first);
  });

  test('another process that writes the same file is none of its business', async () => {
    await writeFile(`${file}.part`, 'half');
    await writeState(file, first);
    expect(await readState(file)).toEqual(first);
    expect(await readFile(`${file}.part`, 'utf8')).toBe('half');
  });
});
