import { judgeRound, type Round, serverShare } from './round.ts';

/**
 * What ended a search, by the least rate that was not kept: the server where it was full; answers that came late, or
 * not once each, where it was not; or the load where that was saturated. `the plan` where no larger rate was to be
 * tried, so that nothing is known of it.
 */
export type SearchEnd = 'the server' | 'late answers' | 'incomplete answers' | 'the load' | 'the plan';

/** In the order in which they are told. */
export const SEARCH_ENDS: readonly SearchEnd[] = [
  'the server',
  'late answers',
  'incomplete answers',
  'the load',
  'the plan',
];

/** Above which share of its core a server counts as full. A pause makes a rate late with most of the core left. */
export const FULL_SHARE = 0.9;

/** What ended the search of one repeat. */
export function endOf(rounds: readonly Round[]): SearchEnd {
  const [least] = rounds
    .filter((round) => judgeRound(round) !== 'kept')
    .sort((left, right) => left.perSecond - right.perSecond);
  if (least === undefined) return 'the plan';
  const verdict = judgeRound(least);
  if (verdict === 'refused') return 'the load';
  if (serverShare(least) > FULL_SHARE) return 'the server';
  return verdict === 'late' ? 'late answers' : 'incomplete answers';
}
