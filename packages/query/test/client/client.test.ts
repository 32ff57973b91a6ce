import type { Member } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import type { FollowedChange, FollowedStream, FollowingClient } from '../../src/follow-commits.ts';
import { followCommits, withQueries } from '../../src/follow-commits.ts';
import { liveQuery } from '../../src/live-query.ts';
import { Pushed } from '../run/live-fixture.ts';

const change = (
  sequence: number,
  second: number,
  { ends = false, entity = `e${sequence}`, kind = 'upsert' as const } = {},
) => {
  const time = `2026-01-01T00:00:0${second}.000Z`;
  const member: Member = { id: `v${sequence}`, entity, kind, sequence, time, quads: [] };
  return { kind, member, cursor: `x-${sequence}`, endsCommit: ends } satisfies FollowedChange;
};

const ENDS = { ends: true };
const [A, B] = ['a', 'b'].map((entity) => ({ entity, ends: true })) as [object, object];

/** A follower that a test plays: what is pushed is handed out, and it has caught up when it is told so. */
class PlayedStream extends Pushed<FollowedChange> implements FollowedStream {
  status = { lagBoundMs: 100, isInTrouble: false, reason: 'it is read' };
  state: { cursor?: string } = {};
  listener: (() => void) | undefined;

  on(_: 'caught-up', listener: () => void): () => void {
    this.listener = listener;
    return () => {
      this.listener = undefined;
    };
  }

  play(given: FollowedChange): void {
    this.state = { cursor: given.cursor };
    this.push(given);
  }

  catchUp(cursor = this.state.cursor as string): void {
    this.state = { cursor };
    this.listener?.();
  }
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

const ids = (result: IteratorResult<{ readonly members: readonly Member[] }, undefined>) =>
  result.done ? 'end' : result.value.members.map(({ id }) => id);

test('the change by which it caught up belongs to the state, one that comes just after does not', async () => {
  const stream = new PlayedStream();
  const events = followCommits(stream)[Symbol.asyncIterator]();
  const state = events.next();
  await turn();
  // A follower tells that it has caught up before it hands out the change.
  stream.catchUp('x-1');
  stream.play(change(1, 1, ENDS));
  expect(ids(await state)).toEqual(['v1']);

  const other = new PlayedStream();
  const others = followCommits(other)[Symbol.asyncIterator]();
  const first = others.next();
  other.play(change(1, 1, ENDS));
  await turn();
  other.catchUp();
  other.play(change(2, 2));
  other.play(change(3, 2, ENDS));
  expect(ids(await first)).toEqual(['v1']);
  expect(ids(await others.next())).toEqual(['v2', 'v3']);
});

test('nothing is claimed while a part of a commit waits', async () => {
  const stream = new PlayedStream();
  const source = followCommits(stream, { clock: () => 1000, beginsWithState: false });
  const events = source[Symbol.asyncIterator]();
  const first = events.next();
  stream.play(change(1, 1, ENDS));
  await first;
  expect(source.completeToMs?.()).toBe(900);
  const second = events.next();
  stream.play(change(2, 2));
  await turn();
  expect(source.completeToMs?.()).toBeUndefined();
  stream.play(change(3, 2, ENDS));
  await second;
  expect(source.completeToMs?.()).toBe(900);
  stream.status.lagBoundMs = Number.POSITIVE_INFINITY;
  expect(source.completeToMs?.()).toBeUndefined();
});

test('the status of a live query tells the trouble of its follower, and how the feed of the stream fares', () => {
  const stream = new PlayedStream();
  const source = followCommits(stream);
  const of = () => liveQuery(source, 'ASK {}').status.sources[0];
  expect(of()).toEqual({ url: undefined, cursor: undefined, trouble: undefined });
  const reason = 'in trouble: nobody answers';
  const fares = { source: { state: 'failing', since: '2026-01-01T00:00:05.000Z' }, dataAgeMs: 4600 } as const;
  stream.status = { ...stream.status, isInTrouble: true, reason, ...fares };
  expect(of()).toEqual({ url: undefined, cursor: undefined, trouble: reason, ...fares });
});

test('return ends a wait, and lets the follower go', async () => {
  const stream = new PlayedStream();
  const events = followCommits(stream)[Symbol.asyncIterator]();
  const waiting = events.next();
  await events.return?.();
  expect(stream.returned).toBe(1);
  expect(stream.listener).toBeUndefined();
  await waiting;
  expect(ids(await events.next())).toBe('end');
});

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;

test.each<[string, beginsWithState: boolean, steps: (FollowedChange | string)[], told: string[]]>([
  ['a commit is told at its end', false, [change(1, 1), change(2, 1, { ends: true })], [`${at(1)} v1 v2`]],
  ['a commit is told when another begins', false, [change(3, 2), change(4, 3)], [`${at(2)} v3`, `${at(3)} v4`]],
  [
    'a commit is told when there is no more',
    false,
    [change(4, 3, A), change(5, 4), 'x-5', change(6, 5)],
    [`${at(3)} v4`, `${at(4)} v5`, `${at(5)} v6`],
  ],
  ['one change ends a commit and is one', false, [change(1, 1), change(2, 2, A)], [`${at(1)} v1`, `${at(2)} v2`]],
  [
    'the state is the newest version of what lives',
    true,
    [change(1, 1, A), change(2, 2, B), change(3, 3, A), { ...change(4, 4, B), kind: 'delete' }, 'x-4', change(5, 5, A)],
    ['state x-4 v3', `${at(5)} v5`],
  ],
  [
    'after a gap the state comes anew, and what waited is gone',
    false,
    [change(0, 1, A), change(1, 1), { kind: 'gap', cursor: 'y-0' }, change(7, 7), 'y-7', change(8, 8, A)],
    [`${at(1)} v0`, 'state y-7 v7', `${at(8)} v8`],
  ],
  ['an empty state is told', true, ['x-0', 'x-0'], ['state x-0']],
  ['that there is nothing yet is told', false, ['x-0', 'x-0'], ['state x-0']],
])('%s', async (_name, beginsWithState, steps, told) => {
  const stream = new PlayedStream();
  const texts: string[] = [];
  const reading = (async () => {
    for await (const event of followCommits(stream, { beginsWithState })) {
      const head = 'kind' in event ? `state ${event.cursor}` : event.time;
      texts.push([head, ...event.members.map(({ id }) => id)].join(' '));
    }
  })();
  for (const step of steps) {
    if (typeof step === 'string') stream.catchUp(step);
    else stream.play(step);
    await turn();
  }
  // What waits is handed out before the end.
  stream.end();
  await reading;
  expect(texts).toEqual(told);
});

test('refuses options that are none before anything is followed', () => {
  const followed: string[] = [];
  const client: FollowingClient = {
    mal: 10,
    follow: (url) => {
      followed.push(url);
      throw new Error('not to be followed');
    },
  };
  const { query } = withQueries(client);
  // The rest is asked of liveQuery.
  for (const [options, name] of [
    [null, 'options'],
    [{ window: '60s' }, 'window'],
    [{ engine: 'oxigraph', from: 'now' }, 'engine'],
    [{ form: 'now' }, 'form'],
  ] as const) {
    const refused = { code: 'ERR_QUERY_OPTION', details: expect.objectContaining({ name }) };
    const asking = () => query('http://localhost/s', 'ASK {}', options as never);
    expect(asking, name).toThrow(expect.objectContaining(refused));
  }
  expect(followed).toEqual([]);
});
