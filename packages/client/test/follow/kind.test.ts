import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { followOrigin, reading, setUpOrigin, take } from '../support/setup-origin.ts';

/** Drops header fields of the first answers. */
function dropping(names: readonly string[], answers: number) {
  let left = answers;
  return (response: ServerResponse) => {
    if (left <= 0) return;
    left -= 1;
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((status: number, headers: Record<string, string> = {}) =>
      writeHead(
        status,
        Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))),
      )) as typeof response.writeHead;
  };
}

test.each([{ lost: ['ldes-cursor'] }, { lost: ['link'] }, { lost: ['ldes-cursor', 'link'] }])(
  'MAL-56 a root that lost $lost on the way is asked for again past caches, and read as what it is',
  async ({ lost }) => {
    const setup = await setUpOrigin();
    const { origin } = setup;
    origin.commit('a');
    const drop = dropping(lost, 2);
    origin.fault = (_request, response) => {
      drop(response);
      return false;
    };
    const follower = followOrigin(setup, { mal: 30 });
    const [change] = await take(reading(follower), 1);
    expect(change?.cursor).toBe('e1-1');
    expect(follower.state).toEqual({ url: origin.url, cursor: 'e1-1' });
    const roots = origin.requestsTo(/^\/s$/);
    expect(roots).toHaveLength(3);
    expect(roots.map(({ headers }) => headers['cache-control'])).toEqual([undefined, 'max-age=0', 'max-age=0']);
  },
);

test('MAL-56 a stream whose proxy always takes its fields away is read as any LDES', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  const drop = dropping(['ldes-cursor'], Number.POSITIVE_INFINITY);
  origin.fault = (_request, response) => {
    drop(response);
    return false;
  };
  const follower = followOrigin(setup, { mal: 30 });
  // Its root leads to its pages by ranges, of which the scripted one has none: it is read, and has nothing.
  const caughtUp = new Promise((resolve) => follower.on('caught-up', resolve));
  const iterator = reading(follower);
  void take(iterator, 1).catch(() => {});
  await caughtUp;
  expect(origin.requestsTo(/^\/s$/).length).toBeGreaterThanOrEqual(4);
  expect(follower.status.gaps).toBe(0);
  expect(follower.state).toEqual({ url: origin.url, cursor: 'tree-0', tree: expect.objectContaining({ version: 1 }) });
});

test('MAL-56 what was saved of a stream read as any LDES goes on as that, also where its fields are back', async () => {
  const setup = await setUpOrigin();
  const { origin } = setup;
  origin.commit('a');
  const drop = dropping(['ldes-cursor'], Number.POSITIVE_INFINITY);
  origin.fault = (_request, response) => {
    drop(response);
    return false;
  };
  const first = followOrigin(setup, { mal: 30 });
  const caughtUp = new Promise((resolve) => first.on('caught-up', resolve));
  void take(reading(first), 1).catch(() => {});
  await caughtUp;
  const { state } = first;
  origin.fault = () => false;
  const second = followOrigin(setup, { mal: 30 }, { state });
  const again = new Promise((resolve) => second.on('caught-up', resolve));
  void take(reading(second), 1).catch(() => {});
  await again;
  expect(second.state.tree).toBeDefined();
});
