import type { Report } from '../report/report.ts';
import { type Spread, spread } from '../spread.ts';
import { MESSAGES_OF_ROUND_TRIP } from './extrapolation.ts';
import type { ClientsRun } from './measure-clients.ts';
import type { RoundKind } from './requester-messages.ts';
import { cpuOf, judgeRound, WORDS } from './round.ts';

/** What tells a ratio at the first rate from one at the rate that it is meant for: both are not the same. */
const LEAST_RATE = ', at the least rate';

/** CPU times of one repeat after the other, microseconds. */
type Costs = readonly number[];

/**
 * What runs are compared by: what an update and a round trip cost with the most clients beside the fewest, and messages a
 * second of a core by round trips beside updates. All at rates of which none depends on how fast the machine is, but for
 * one that cannot keep them.
 *
 * @param place - of the rate on the grid; the first of the grid where no repeat came to that one
 */
export function e4Ratios(runs: readonly ClientsRun[], place: number): Report['ratios'] {
  const inMemory = runs.filter(({ isDurable }) => !isDurable);
  const clients = inMemory.map((run) => run.clients);
  const [fewest, most] = [Math.min(...clients), Math.max(...clients)];
  const ratios: Record<string, Spread> = {};
  const add = (name: string, over: Costs | undefined, under: Costs | undefined, factor = 1) => {
    if (over && under) ratios[name] = spread(over.map((cost, repeat) => (factor * cost) / (under[repeat] as number)));
  };
  const of = (kind: RoundKind, count: number) => {
    const repeats = inMemory.filter((run) => run.clients === count);
    return (tried: number) => costsOf(repeats, kind, tried);
  };
  for (const kind of ['updates', 'requests'] as const) {
    if (fewest === most) continue;
    const [few, many] = [of(kind, fewest), of(kind, most)];
    const at = [place, 0].find((tried) => few(tried) && many(tried)) ?? 0;
    const name = `cpu of one ${WORDS[kind].one}, ${most} clients / ${fewest} clients`;
    add(`${name}${at === place ? '' : LEAST_RATE}`, many(at), few(at));
  }
  const [updates, requests] = [of('updates', fewest), of('requests', fewest)];
  const at = [place, 0].find((tried) => updates(tried) && requests(tried)) ?? 0;
  const name = `messages/s of a core, round trips / updates, ${fewest} clients`;
  add(`${name}${at === place ? '' : LEAST_RATE}`, updates(at), requests(at), MESSAGES_OF_ROUND_TRIP);
  return ratios;
}

/** `undefined` where a repeat did not come to the rate, or not all of it came once. */
function costsOf(repeats: readonly ClientsRun[], kind: RoundKind, place: number): Costs | undefined {
  const costs = repeats.flatMap(({ rounds }) => {
    const round = rounds.find((one) => one.kind === kind && one.place === place);
    const verdict = round && judgeRound(round);
    return round && (verdict === 'kept' || verdict === 'late') ? [cpuOf(round)] : [];
  });
  return repeats.length > 0 && costs.length === repeats.length ? costs : undefined;
}
