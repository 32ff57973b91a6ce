import type { ClientsRun } from './measure-clients.ts';
import { nameOf, rateText } from './rates-section.ts';
import { failedPosts, judgeRound, type Round, refusalOf, WORDS } from './round.ts';

/** What a reader has to know before any figure: rounds whose figures are refused, and what did not come once. */
export function e4Warnings(runs: readonly ClientsRun[]): readonly string[] {
  return runs.flatMap(({ rounds, isDurable, repeat }) =>
    rounds.flatMap((round) => {
      const problem = problemOf(round);
      if (problem === undefined) return [];
      const { clients, perSecond, kind } = round;
      return `${rateText(perSecond)} ${WORDS[kind].many}/s with ${nameOf({ clients, isDurable })}, repeat ${repeat + 1}: ${problem}.`;
    }),
  );
}

function problemOf(round: Round): string | undefined {
  const refusal = refusalOf(round);
  if (refusal !== undefined) return `figures refused, since ${refusal}`;
  if (judgeRound(round) !== 'incomplete') return undefined;
  const { scheduled, lost, doubled, strays } = round;
  const counts = {
    'never came': lost,
    'came again': doubled,
    'were none of them': strays,
    'posts failed': failedPosts(round),
  };
  const told = Object.entries(counts).filter(([, count]) => count > 0);
  return `of ${scheduled}, ${told.map(([what, count]) => `${count} ${what}`).join(', ')}`;
}
