import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ldesClient } from '../support/ldes-client-process.ts';
import { type PublishedLog, publishedLog, valueDraft } from '../support/published-log.ts';
import { countingProxy } from './support/counting-proxy.ts';

const MEMBERS = 100_000;
const ORDERED_MEMBERS = 5_000;
const PATIENT = { timeout: 300_000 };

// Appends commits of so many members until there are as many as asked for.
async function appendUpTo({ log, publicUrl }: PublishedLog, members: number, perCommit: number): Promise<void> {
  for (let { sequence } = log.head.cursor; sequence < members; sequence = log.head.cursor.sequence) {
    const count = Math.min(perCommit, members - sequence);
    await log.append(Array.from({ length: count }, (_, index) => valueDraft(publicUrl, index, sequence)));
  }
}

// Version IRIs of the log, in its order.
async function idsOf({ log }: PublishedLog): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < log.head.cursor.sequence) ids.push(...(await log.members(ids.length, 1000)).map(({ id }) => id));
  return ids;
}

test(
  `DOC-1 DOC-2 DOC-5 DOC-20 the public ldes-client prints each of ${MEMBERS.toLocaleString('en')} members once, and ends`,
  PATIENT,
  async () => {
    const published = await publishedLog({ clock: Date.now });
    const { log, publicUrl, url } = published;
    await appendUpTo(published, MEMBERS - 1, 500);
    await log.append([{ kind: 'delete', entity: `${publicUrl}vehicles/entities/7`, origin: 'test' }]);
    const reader = ldesClient(url);
    expect(await reader.ended, reader.errorOutput()).toBe(0);
    const [printed, due] = [new Set(reader.members), await idsOf(published)];
    // The client ends with 0 after an error too, which it only prints.
    expect(due.filter((id) => !printed.has(id)).slice(0, 10), reader.errorOutput()).toEqual([]);
    expect([reader.members.length, printed.size]).toEqual([due.length, due.length]);
    await published.close();
  },
);

test(
  `DOC-4 DOC-5 the public ldes-client prints ${ORDERED_MEMBERS.toLocaleString('en')} members in order, each once, and ends`,
  PATIENT,
  async () => {
    const published = await publishedLog({ clock: Date.now });
    // One member a commit: members of one commit have one time, and no order by it.
    await appendUpTo(published, ORDERED_MEMBERS, 1);
    const reader = ldesClient(published.url, '--ordered', 'ascending');
    expect(await reader.ended, reader.errorOutput()).toBe(0);
    expect(reader.members).toEqual(await idsOf(published));
    await published.close();
  },
);

// Follows a stream while pages of it are sealed, and counts what is asked for.
async function followSealing(...args: string[]) {
  const proxy = await countingProxy();
  const published = await publishedLog({ clock: Date.now, publicUrl: proxy.url });
  proxy.port = published.port;
  await appendUpTo(published, 600, 50);
  const reader = ldesClient(published.url, '--follow', '--poll-interval', '300', ...args);
  const reached = () =>
    vi.waitFor(() => expect(new Set(reader.members).size).toBe(published.log.head.cursor.sequence), {
      timeout: 60_000,
    });
  await reached();
  // A page is sealed every few polls, and the client is somewhere in its round each time.
  while (published.log.head.cursor.sequence < 1600) {
    await appendUpTo(published, published.log.head.cursor.sequence + 50, 50);
    const seen = proxy.requests.length;
    await vi.waitFor(() => expect(proxy.requests.length).toBeGreaterThan(seen));
  }
  await reached();
  const polls = () => proxy.requests.filter(({ path }) => path === '/vehicles').length;
  const round = async () => {
    const before = polls();
    await vi.waitFor(() => expect(polls()).toBeGreaterThan(before + 2), { timeout: 30_000 });
  };
  const close = async () => {
    await reader.stop();
    await published.close();
    await proxy.close();
  };
  const sealed = () => proxy.requests.filter(({ isSealed }) => isSealed).map(({ path }) => path);
  return { reader, published, sealed, round, close };
}

test(
  'DOC-5 the public ldes-client that follows in order prints each member once, and asks for no sealed page twice',
  PATIENT,
  async () => {
    const { reader, published, sealed, round, close } = await followSealing('--ordered', 'ascending');
    await round();
    expect([...reader.members].sort()).toEqual((await idsOf(published)).sort());
    expect(sealed()).toHaveLength(6);
    expect(new Set(sealed()).size).toBe(6);
    await close();
  },
);

test(
  'DOC-5 DOC-9 the public ldes-client that follows unordered prints every member, and leaves sealed pages alone once it has noted them',
  PATIENT,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ldes-live-client-'));
    const { reader, published, sealed, round, close } = await followSealing('--save', join(folder, 'state'));
    await round();
    const noted = sealed().length;
    await round();
    expect(sealed()).toHaveLength(noted);
    // It asks twice at once for a page that it both polls and finds linked, and then prints what is new on it twice.
    expect([...new Set(reader.members)].sort()).toEqual((await idsOf(published)).sort());
    await close();
    await rm(folder, { recursive: true });
  },
);
