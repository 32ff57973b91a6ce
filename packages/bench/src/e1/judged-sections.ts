import type { Cell, Section } from '../report/report.ts';
import type { ShapeCheck } from './article-shape.ts';
import type { Bar } from './bars.ts';
import type { Hypothesis } from './hypotheses.ts';

/** The bars, each kept or missed. */
export function barsSection(bars: readonly Bar[]): Section {
  return {
    title: 'Bars',
    text: [
      'What the framework asks of itself, judged by the medians of this run. Ratios are those of two runs of one repeat. CPU time of a delivery was taken while readers in C read, delays while the load read that checks all it gets. Where the repeats lie on both sides of a limit, more of them are needed to tell.',
    ],
    tables: [
      {
        caption: 'Bars, and how far from its limit each is',
        columns: ['What', 'Bar', 'Measured', 'Verdict'],
        rows: bars.map(({ what, bar, value, verdict }): readonly Cell[] => [what, bar, value, verdict]),
      },
    ],
  };
}

/** The article's hypotheses, answered. */
export function hypothesesSection(hypotheses: readonly Hypothesis[]): Section {
  return {
    title: 'Hypotheses',
    text: hypotheses.map(
      ({ id, statement, article, answers }) =>
        `${id}: ${statement} The article ${article} it. Here: ${countsText(answers.map(({ verdict }) => verdict))}.`,
    ),
    tables: [
      {
        caption: 'Each way to poll beside the push of the same server',
        columns: ['Hypothesis and ways', 'Here', 'The article', 'What decided'],
        rows: hypotheses.flatMap(({ id, article, answers }) =>
          answers.map(({ pull, push, verdict, upTo, numbers }) => [
            `${id}: ${pull.name}; ${push.name}`,
            upTo === undefined ? verdict : `${verdict} up to ${upTo.toLocaleString('en-GB')} clients`,
            article,
            numbers,
          ]),
        ),
      },
    ],
  };
}

/** Whether the rebuilt servers behave as those of the article. */
export function shapeSection(checks: readonly ShapeCheck[]): Section {
  const told = checks.filter(({ isSeen }) => isSeen !== undefined);
  const seen = told.filter(({ isSeen }) => isSeen).length;
  return {
    title: 'Does the Express baseline show the article’s shape?',
    text: [
      `${seen} of the ${told.length} points that this run can tell are seen. The article’s servers had slower cores than those of today: a faster one reaches the same limits with more clients, so that a limit not reached here is said as such and not taken for the article’s.`,
    ],
    tables: [
      {
        caption: 'What the article saw',
        columns: ['Statement', 'Seen here', 'Numbers'],
        rows: checks.map(({ statement, isSeen, numbers }) => [
          statement,
          isSeen === undefined ? undefined : isSeen ? 'yes' : 'no',
          numbers,
        ]),
      },
    ],
  };
}

function countsText(verdicts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const verdict of verdicts) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  const texts = [...counts].map(([verdict, count]) => `${verdict} by ${count} of ${verdicts.length} pairs of ways`);
  return texts.length === 0 ? 'nothing to compare' : texts.join(', ');
}
