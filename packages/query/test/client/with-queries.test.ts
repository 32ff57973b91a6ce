import { expect, test } from 'vitest';
import type { FollowingClient } from '../../src/client/followed-stream.ts';
import { withQueries } from '../../src/client/with-queries.ts';

test('QUERY-8 refuses options that are none before anything is followed', () => {
  const followed: string[] = [];
  const client: FollowingClient = {
    mal: 10,
    follow: (url) => {
      followed.push(url);
      throw new Error('not to be followed');
    },
  };
  const { query } = withQueries(client);
  for (const [options, name] of [
    [null, 'options'],
    ['latest', 'options'],
    [{ window: null }, 'window'],
    [{ window: '60s' }, 'window'],
    [{ mal: 'soon' }, 'mal'],
    [{ engine: 'oxigraph', from: 'now' }, 'engine'],
    [{ form: 'now' }, 'form'],
  ] as const) {
    expect(() => query('http://localhost/s', 'ASK {}', options as never), name).toThrow(
      expect.objectContaining({ code: 'ERR_QUERY_OPTION', details: expect.objectContaining({ name }) }),
    );
  }
  expect(followed).toEqual([]);
});
