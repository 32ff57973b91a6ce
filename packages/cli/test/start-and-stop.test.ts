import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readState, writeState } from '../src/follow/state-file.ts';
import type { StreamPlan } from '../src/serve/plan.ts';
import { type Closers, freePort, listen, withClosers } from '../src/serve/serve.ts';
import { startText, stopText } from '../src/serve/texts.ts';

describe('listen', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** Listens as a server of streams would. */
  async function listenPlainly({ host, port }: { host: string; port: number }): Promise<number> {
    const server = createServer();
    servers.push(server);
    server.listen(port, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  test('it resolves to the port, and a free port can be had', async () => {
    const port = await freePort('127.0.0.1');
    expect(await listen({ listen: listenPlainly }, '127.0.0.1', port)).toBe(port);
  });

  test('a busy port is named with its remedy', async () => {
    const port = await listenPlainly({ host: '127.0.0.1', port: 0 });
    await expect(listen({ listen: listenPlainly }, '127.0.0.1', port)).rejects.toMatchObject({
      code: 'ERR_PORT_BUSY',
      message: expect.stringMatching(new RegExp(`Port ${port} of 127.0.0.1 is in use.*--port`)),
    });
  });

  test('an address that is not of this machine is refused with the reason', async () => {
    const refused = { code: 'ERR_LISTEN', message: expect.stringContaining('192.0.2.1 (EADDRNOTAVAIL)') };
    await expect(listen({ listen: listenPlainly }, '192.0.2.1', 3000)).rejects.toMatchObject(refused);
    await expect(freePort('192.0.2.1')).rejects.toMatchObject(refused);
  });
});

/** Runs with closers of which some fail; tells which were called. */
async function close(failing: readonly string[], run: () => Promise<void> = async () => {}) {
  const called: string[] = [];
  const closer = (name: string) => async () => {
    called.push(name);
    if (failing.includes(name)) throw new Error(name);
  };
  const running = withClosers(async (closers: Closers) => {
    closers.push(closer('store'), closer('server'), closer('sources'));
    await run();
  });
  const failure = await running.then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { called, failure };
}

const ALL = ['sources', 'server', 'store'];

test('what was opened last is closed first', async () => {
  expect(await close([])).toEqual({ called: ALL, failure: undefined });
});

test.each([[['sources']], [['server', 'store']], [ALL]])(
  '%j fail: all are closed, and the first is told',
  async (failing) => {
    expect(await close(failing)).toEqual({ called: ALL, failure: failing[0] });
  },
);

test('a closer that throws at once keeps no other from closing', async () => {
  let isClosed = false;
  const running = withClosers(async (closers) => {
    closers.push(
      async () => {
        isClosed = true;
      },
      () => {
        throw new Error('at once');
      },
    );
  });
  await expect(running).rejects.toThrow('at once');
  expect(isClosed).toBe(true);
});

const stream = (name: string, queries?: StreamPlan['queries']): StreamPlan => ({
  name,
  title: name,
  about: {},
  source: { kind: 'gtfsRt', feeds: [{ url: 'http://a/' }], everyMs: 1000 },
  ...(queries && { queries }),
});
const text = (...streams: StreamPlan[]) =>
  startText({ publicUrl: 'http://a.example/', store: 'memory', streams }, '127.0.0.1:3000', false);

test('QUERY-70 what is said at the start names where queries go, of the first stream that takes them', () => {
  const said = text(stream('vehicles'), stream('trips', {}), stream('alerts', {}));
  expect(said).toContain('at http://a.example/trips/sparql,');
  expect(said).toContain("  npx ldes-live query http://a.example/trips --mal 10 'SELECT ");
  expect(said).toContain('  npx ldes-live follow http://a.example/vehicles --mal 10\n');
});

test('QUERY-70 where no stream takes queries, nothing is said of them', () => {
  expect(text(stream('vehicles'))).not.toMatch(/sparql|query/i);
});

test('a stop that takes a while is told, and how to shorten it', () => {
  expect(stopText(101)).toBe(
    'Stopping: 101 readers are sent away one after the other. Interrupt again to stop at once.\n',
  );
  expect(stopText(100)).toBe('');
  expect(stopText(0)).toBe('');
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
      await expect(readState(file)).rejects.toThrow('it holds no position');
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
