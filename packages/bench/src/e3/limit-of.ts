import type { MostRun } from './measure-most.ts';

/** From which share of its core a side counts as full. */
const FULL = 0.85;

/** Which side was full where rows were first not kept up with: the limit of a run, in words. */
export function limitOf({ steps, best }: Pick<MostRun, 'steps' | 'best'>): string {
  const from = best?.level ?? 0;
  const failed = steps.filter(({ isKeptUp, level }) => !isKeptUp && level > from);
  const first = failed.sort((left, right) => left.level - right.level)[0];
  if (!first) return 'none was reached';
  const [client, server] = [first.clientShare >= FULL, first.serverShare >= FULL];
  if (client && server) return 'both sides';
  if (client) return 'client';
  return server ? 'server' : 'neither was full';
}
