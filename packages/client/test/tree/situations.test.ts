import { afterEach, describe, expect, test } from 'vitest';
import { type Change, createLiveClient, type FollowOptions } from '../../src/index.ts';
import { calendarSituations } from './situations/calendars.ts';
import { entrySituations } from './situations/entries.ts';
import { lineSituations } from './situations/lines.ts';
import { memberSituations } from './situations/members.ts';
import { iri, readings, type Situation, type SituationServer, serveSituation } from './situations/situation.ts';
import { unusualSituations } from './situations/unusual.ts';

const allSituations = [lineSituations, calendarSituations, unusualSituations, memberSituations, entrySituations].flat();

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

interface Outcome {
  readonly server: SituationServer;
  readonly changes: readonly Change[];
  /** Whether the reading ended by itself. */
  readonly hasEnded: boolean;
}

/** Reads until the reading ends by itself, or, where it never does, until everything there is has been delivered. */
async function readWhole(situation: Situation, order: NonNullable<FollowOptions['order']>): Promise<Outcome> {
  const server = await serveSituation(situation);
  open.push(server);
  const leave = new AbortController();
  const { request, isFinished } = situation;
  const client = createLiveClient({ mal: 60 });
  const follower = client.follow(server.entryUrl, { from: 'start', order, signal: leave.signal, ...request });
  const left = new Error('read whole');
  if (!isFinished) follower.on('caught-up', () => leave.abort(left));
  const changes: Change[] = [];
  try {
    for await (const change of follower) changes.push(change);
  } catch (error) {
    if (error !== left) throw error;
    return { server, changes, hasEnded: false };
  }
  return { server, changes, hasEnded: true };
}

function memberPaths({ server, changes }: Outcome): string[] {
  return changes.map((change) => server.pathOf(change.member?.id ?? change.kind));
}

function expectAsked({ server }: Outcome, { unasked = [], pages }: Situation): void {
  for (const path of unasked) expect(server.asked).not.toContain(path);
  // Once each: nothing changes within a run.
  for (const path of pages.keys()) expect(server.asked.filter((asked) => asked === path).length).toBeLessThanOrEqual(1);
}

const readable = allSituations.filter(({ refused }) => refused === undefined);
const ordered = readable.filter(({ isOrdered }) => isOrdered);
const refused = allSituations.filter((situation) => situation.refused !== undefined);

test('no situation is lost from a table', () => {
  expect([readable.length, ordered.length, refused.length]).toEqual([32, 31, 3]);
});

describe('every member is read, each once', () => {
  test.each(readable)('READ-20 all of $name', async (situation) => {
    const outcome = await readWhole(situation, 'none');
    expect(memberPaths(outcome).toSorted()).toEqual(situation.expected.toSorted());
    expectAsked(outcome, situation);
    for (const [path, count] of Object.entries(situation.quads ?? {})) {
      const change = outcome.changes.find(({ member }) => outcome.server.pathOf(member?.id ?? '') === path);
      expect(change?.member?.quads, path).toHaveLength(count);
    }
    // `before` may have passed: then nothing can come either.
    if (situation.request?.before === undefined) expect(outcome.hasEnded).toBe(situation.isFinished);
  });
});

describe('every member is read in order, where there is one', () => {
  test.each(ordered)('READ-21 all in order of $name', async (situation) => {
    const outcome = await readWhole(situation, 'ascending');
    expect(memberPaths(outcome)).toEqual(situation.expected);
    expectAsked(outcome, situation);
  });
});

describe('what cannot be read is told', () => {
  test.each(refused)('READ-2 no one view: $name', async (situation) => {
    await expect(readWhole(situation, 'none')).rejects.toMatchObject({ code: situation.refused });
  });
});

describe('what changes is read again, what cannot is not', () => {
  test.each(['none', 'ascending'] as const)('READ-13 in order: %s', async (order) => {
    const situation = allSituations.find(({ name }) => name.startsWith('linear')) as Situation;
    const server = await serveSituation(situation);
    open.push(server);
    const leave = new AbortController();
    const follower = createLiveClient({ mal: 0.2 }).follow(server.entryUrl, {
      from: 'start',
      order,
      signal: leave.signal,
    });
    const later = readings(13, 2, '2026-03-02T09:00:00Z');
    const page = situation.pages.get('pages/c')?.body ?? '';
    const offFirst = follower.on('caught-up', () => {
      offFirst();
      const grown = later.map(({ path, turtle }) => `<${iri('stream')}> tree:member <${iri(path)}> . ${turtle}`);
      server.publish('pages/c', { body: page + grown.join('\n') });
    });
    const paths: string[] = [];
    for await (const { member } of follower) {
      paths.push(server.pathOf(member?.id ?? ''));
      if (paths.length === situation.expected.length + later.length) break;
    }
    const expected = [...situation.expected, ...later.map(({ path }) => path)];
    expect(order === 'ascending' ? paths : paths.toSorted()).toEqual(
      order === 'ascending' ? expected : expected.toSorted(),
    );
    const times = (path: string) => server.asked.filter((asked) => asked === path).length;
    expect([times('pages/a'), times('pages/b')]).toEqual([1, 1]);
    expect(times('pages/c')).toBeGreaterThan(1);
  });
});
