import type { Asked, ExperimentEdge } from '../experiment.ts';
import { type E4Plan, expectedSeconds, isAsked } from './e4-plan.ts';
import { type ClientsPlan, type ClientsRun, measureClients } from './measure-clients.ts';
import { nameOf, rateText } from './rates-section.ts';
import type { RoundKind } from './requester-messages.ts';
import { judgeRound, percentileOf, type Round, refusalOf, WORDS } from './round.ts';

/** Measures all numbers of clients in each repeat, by turns. */
export async function measureE4(
  asked: Asked,
  plan: E4Plan,
  { folder, onProgress, clock }: ExperimentEdge,
): Promise<readonly ClientsRun[]> {
  const startedAtMs = clock();
  const expectedMs = expectedSeconds(asked) * 1000;
  // How many rates there will be is not known before: time tells how far it is.
  const share = () => Math.min(0.99, (clock() - startedAtMs) / expectedMs);
  const runs: ClientsRun[] = [];
  for (let repeat = 0; repeat < plan.repeats; repeat += 1) {
    for (const one of plansOf(asked, plan, repeat)) {
      const onRound = (round: Round) => onProgress(roundLine(round, one.isDurable), share());
      runs.push(await measureClients(one, plan, { folder }, onRound));
    }
  }
  return runs;
}

function plansOf({ only, seed: first }: Asked, plan: E4Plan, repeat: number): ClientsPlan[] {
  const seed = first + repeat;
  const kinds: RoundKind[] = [];
  if (isAsked(only, 'updates')) kinds.push('updates');
  if (isAsked(only, 'round-trips')) kinds.push('requests');
  const inMemory = kinds.length === 0 ? [] : plan.clients.map((clients) => ({ clients, kinds, isDurable: false }));
  const durable = isAsked(only, 'durable')
    ? [{ clients: plan.durableClients, kinds: ['requests'] as const, isDurable: true }]
    : [];
  return [...inMemory, ...durable].map((one) => ({ ...one, seed, repeat }));
}

function roundLine(round: Round, isDurable: boolean): string {
  const { kind, clients, perSecond } = round;
  const what = `${nameOf({ clients, isDurable })}, ${rateText(perSecond)} ${WORDS[kind].many}/s`;
  const verdict = judgeRound(round);
  if (verdict === 'refused') return `${what}: refused, since ${refusalOf(round)}`;
  return `${what}: ${verdict}, p99 ${(percentileOf(round, 0.99) / 1000).toFixed(1)} ms`;
}
