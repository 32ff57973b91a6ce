import type { MemberChange } from '@ldes-live/client';
import { expect, test } from 'vitest';
import { EntityNews } from '../../src/follow/entity-news.ts';
import { change } from './view/made-changes.ts';

const judged = (news: EntityNews, name: string, kind: 'upsert' | 'delete' = 'upsert') =>
  news.judge(change(name, { kind }) as MemberChange);

test('an entity is new, then changed, then gone, then new again', () => {
  const news = new EntityNews();
  expect([judged(news, 'a'), judged(news, 'a'), judged(news, 'a', 'delete'), judged(news, 'a')]).toEqual([
    'new',
    'changed',
    'gone',
    'new',
  ]);
});

test('no more entities are remembered than the limit: those that changed longest ago are forgotten', () => {
  const news = new EntityNews(2);
  judged(news, 'a');
  judged(news, 'b');
  judged(news, 'a');
  expect(judged(news, 'c')).toBe('new');
  expect(judged(news, 'a')).toBe('changed');
  expect(judged(news, 'b')).toBe('new');
});
