import type { Asked } from '../experiment.ts';
import { DEFAULT_SEED } from '../options.ts';

/** The command line that an experiment was run by, without the folder of its reports. */
export function commandText(experiment: string, asked: Asked): string {
  const { quick, clients, durationSeconds, repeats, malSeconds, only, seed } = asked;
  return [
    `ldes-live bench ${experiment}`,
    ...(quick ? ['--quick'] : []),
    ...(clients ? [`--clients ${clients.join(',')}`] : []),
    ...(durationSeconds === undefined ? [] : [`--duration ${durationSeconds}`]),
    ...(repeats === undefined ? [] : [`--repeat ${repeats}`]),
    ...(malSeconds ? [`--mal ${malSeconds.join(',')}`] : []),
    ...only.map((name) => `--only ${name}`),
    ...(seed === DEFAULT_SEED ? [] : [`--seed ${seed}`]),
  ].join(' ');
}
