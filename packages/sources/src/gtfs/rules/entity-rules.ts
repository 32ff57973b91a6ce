import type { FeedEntity, FeedMessage } from '../feed-message.ts';
import { once, type Rule } from './rule.ts';

const repeats = (feed: FeedMessage, idOf: (entity: FeedEntity) => string | undefined): number => {
  const ids = new Set<string>();
  let count = 0;
  for (const entity of feed.entity ?? []) {
    const id = idOf(entity);
    if (!id) continue;
    if (ids.has(id)) count += 1;
    ids.add(id);
  }
  return count;
};

/** Rules about entities as such: what marks them, and what names them. */
export const entityRules: readonly Rule[] = [
  {
    id: 'E039',
    title: 'a full dataset has is_deleted',
    severity: 'error',
    checks: {
      entity: ({ is_deleted: deleted }, { incrementality }) =>
        once(deleted !== undefined && incrementality !== 'DIFFERENTIAL'),
    },
  },
  {
    id: 'E052',
    title: 'a vehicle id is used by more than one vehicle position',
    severity: 'error',
    checks: { feed: (feed) => repeats(feed, ({ vehicle }) => vehicle?.vehicle?.id) },
  },
  {
    id: 'duplicate-entity-id',
    title: 'an entity id is used more than once',
    severity: 'error',
    checks: { feed: (feed) => repeats(feed, ({ id }) => id) },
  },
];
