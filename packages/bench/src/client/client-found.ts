import type { Found } from '../report/make-report.ts';
import { preformatted } from '../report/preformatted.ts';
import { spread } from '../spread.ts';
import type { ClientPlan } from './client-plan.ts';
import { malText } from './mal-text.ts';
import type { MalResult } from './measure-mal.ts';
import type { PromiseResult } from './measure-promise.ts';
import type { SlowReaderResult } from './measure-slow-reader.ts';
import type { StampedeResult, StampedeRun } from './measure-stampede.ts';
import { promiseText } from './promise-text.ts';
import { slowReaderText } from './slow-reader-text.ts';
import { stampedeText } from './stampede-text.ts';

/** What each measurement found; absent those that were left out. */
interface ClientResults {
  readonly promise?: PromiseResult;
  readonly stampede?: StampedeResult;
  readonly slow?: SlowReaderResult;
  readonly mal?: MalResult;
}

/** What of the report is this experiment's own. */
export function clientFound(
  { promise, stampede, slow, mal }: ClientResults,
  plan: ClientPlan,
): Omit<Found, 'workload' | 'data'> {
  return {
    repeats: 1,
    warnings: (promise?.missing ?? []).map((name) => `Not installed, so that no client asked through it: ${name}.`),
    sections: [
      ...(promise ? [preformatted('Whether MALs are kept', promiseText(promise, plan.promise))] : []),
      ...(stampede ? [preformatted('Very many that poll', stampedeText(stampede, plan.stampede))] : []),
      ...(slow ? [preformatted('A slow reader', slowReaderText(slow, plan.slow))] : []),
      ...(mal ? [preformatted('The demonstration at several MALs', malText(mal, plan.mal))] : []),
    ],
    ratios: stampede
      ? { 'peak / mean of the requests of polling clients, beside chance': spread(stampede.runs.map(besideChance)) }
      : {},
    histograms: {},
  };
}

function besideChance({ ratio, chance }: StampedeRun): number {
  return ratio / chance.median;
}
