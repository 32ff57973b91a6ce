import type { Spread } from '../spread.ts';
import { numberText } from './number-text.ts';
import type { Report } from './report.ts';

/** How far ratios of two runs may be apart and still agree. */
export const TOLERANCE_SHARE = 0.15;

/** One ratio in two runs. */
export interface RatioComparison {
  readonly name: string;
  readonly earlier: Spread;
  readonly later: Spread;
  /** By how much the greater median exceeds the smaller one, as a share of the smaller; 0 where they are equal. */
  readonly difference: number;
  /** Whether that is tolerated. */
  readonly agrees: boolean;
  /** Whether both runs have repeats, without which nobody knows how far apart chance alone puts them. */
  readonly isJudged: boolean;
}

/** How far two runs agree. */
export interface RunComparison {
  readonly earlierStartedAt: string;
  readonly toleranceShare: number;
  readonly ratios: readonly RatioComparison[];
  /** Names of ratios that only one run has. */
  readonly onlyEarlier: readonly string[];
  readonly onlyLater: readonly string[];
  /** Whether no ratio that can be judged differs by more than is tolerated, and none that could be is missing in either run. */
  readonly agrees: boolean;
  /** The outcome in a few sentences. */
  readonly verdict: string;
}

/**
 * Compares the medians of the ratios of two runs, whichever of them is the greater.
 *
 * @param toleranceShare - how far they may be apart, as a share of the smaller one
 * @defaultValue `toleranceShare` 0.15
 */
export function compareRuns(
  earlier: Pick<Report, 'ratios' | 'startedAt'>,
  later: Pick<Report, 'ratios'>,
  toleranceShare = TOLERANCE_SHARE,
): RunComparison {
  const names = Object.keys(later.ratios);
  const ratios = names.flatMap((name): RatioComparison[] => {
    const [before, now] = [earlier.ratios[name], later.ratios[name]];
    if (before === undefined || now === undefined) return [];
    const difference = differenceOf(before.median, now.median);
    const isJudged = Math.min(before.repeats, now.repeats) > 1;
    return [{ name, earlier: before, later: now, difference, agrees: difference <= toleranceShare, isJudged }];
  });
  const onlyEarlier = Object.keys(earlier.ratios).filter((name) => later.ratios[name] === undefined);
  const onlyLater = names.filter((name) => earlier.ratios[name] === undefined);
  return {
    earlierStartedAt: earlier.startedAt,
    toleranceShare,
    ratios,
    onlyEarlier,
    onlyLater,
    agrees:
      ratios.every(({ agrees, isJudged }) => agrees || !isJudged) &&
      ![...onlyEarlier.map((name) => earlier.ratios[name]), ...onlyLater.map((name) => later.ratios[name])].some(
        (ratio) => ratio !== undefined && ratio.repeats > 1,
      ),
    verdict: verdictOf(ratios, onlyEarlier.length + onlyLater.length, toleranceShare),
  };
}

/** A share of one as percent: `15 %`. */
export function percentText(share: number): string {
  return `${numberText(Number((share * 100).toPrecision(3)))} %`;
}

/** What cannot be divided agrees with nothing but itself. */
function differenceOf(left: number, right: number): number {
  if (left === right) return 0;
  const [small, great] = [Math.min(left, right), Math.max(left, right)];
  return small > 0 && Number.isFinite(great) ? great / small - 1 : Infinity;
}

function verdictOf(ratios: readonly RatioComparison[], inOneRun: number, toleranceShare: number): string {
  if (ratios.length === 0) return 'The runs have no ratio in common: they cannot be compared.';
  const judged = ratios.filter(({ isJudged }) => isJudged);
  const unjudged = ratios.length - judged.length;
  const both = `${ratios.length} of ${ratios.length + inOneRun} ratios ${ratios.length === 1 ? 'is' : 'are'} in both runs.`;
  return [
    ...(inOneRun > 0 ? [both] : []),
    ...(judged.length > 0 ? [judgement(judged, toleranceShare)] : []),
    ...(unjudged > 0 ? [`${unjudgedText(unjudged, ratios.length)} cannot be judged: too few repeats.`] : []),
  ].join(' ');
}

function judgement(judged: readonly RatioComparison[], toleranceShare: number): string {
  const tolerated = percentText(toleranceShare);
  const differing = judged.filter(({ agrees }) => !agrees).length;
  const [isOne, all] = [judged.length === 1, judged.length];
  if (differing === 0)
    return `${isOne ? 'The one ratio' : `All ${all} ratios`} with repeats ${isOne ? 'agrees' : 'agree'} within ${tolerated}.`;
  const which = isOne ? 'The one ratio with repeats' : `${differing} of ${all} ratios with repeats`;
  return (
    `${which} ${differing === 1 ? 'differs' : 'differ'} by more than ${tolerated}: the machine was too noisy, or ` +
    'something changed between the runs. What differs is not to be quoted.'
  );
}

function unjudgedText(unjudged: number, all: number): string {
  if (unjudged < all) return `${unjudged} of ${all} ratios`;
  return all === 1 ? 'The one ratio' : `The ${all} ratios`;
}
