import type { LatencyCounts } from '../load/latency-histogram.ts';
import type { Found } from '../report/make-report.ts';
import type { Section } from '../report/report.ts';
import type { E4Plan } from './e4-plan.ts';
import { e4Ratios } from './e4-ratios.ts';
import { e4Warnings } from './e4-warnings.ts';
import type { ClientsRun } from './measure-clients.ts';
import { paperSections } from './paper-section.ts';
import { NO_COMMON_RATE, nameOf, ratesSection, rateText } from './rates-section.ts';
import { LIMIT_P99_MICROS, WORDS } from './round.ts';
import { FULL_SHARE } from './search-end.ts';
import { type ClientsSummary, summarizeRounds } from './summarize-rounds.ts';

/** What of the report is this experiment's own. */
export function e4Found(runs: readonly ClientsRun[], plan: E4Plan): Omit<Found, 'workload' | 'data' | 'versions'> {
  const [updates, requests] = [summarizeRounds(runs, 'updates'), summarizeRounds(runs, 'requests')];
  const inMemory = requests.filter(({ isDurable }) => !isDurable);
  const durable = requests.filter(({ isDurable }) => isDurable);
  return {
    repeats: plan.repeats,
    warnings: e4Warnings(runs),
    sections: [
      ...updatesSection(updates, plan),
      ...roundTripsSection(inMemory, plan),
      ...durableSection(durable),
      ...paperSections({ runs, updates, requests }),
    ],
    ratios: e4Ratios(runs, plan.requests.stepsPerDoubling),
    histograms: Object.fromEntries([...updates, ...requests].flatMap(histogramsOf)),
  };
}

/** How rates are tried and judged. */
function searchText({ seconds }: E4Plan): string {
  const limitMs = LIMIT_P99_MICROS / 1000;
  // All that a pause delays by more than the limit is late, and a hundredth may be.
  const pauseMs = Math.round(limitMs + seconds * 10);
  return `Rates double until 99 % no longer come within ${limitMs} ms, the published figure, or something does not come, or comes twice; then the largest one that is kept is looked for between. Each rate is kept up for ${seconds} s and judged by these alone: a single pause of some ${pauseMs} ms is enough for it not to be kept.`;
}

function updatesSection(updates: readonly ClientsSummary[], plan: E4Plan): Section[] {
  if (updates.length === 0) return [];
  const text = [
    `Each client follows one subject (\`/replies/events?entity=IRI\`), and the server publishes updates of random subjects on a fixed schedule, each with 256 bytes to say and of interest to one client. A delay counts from the instant that an update was scheduled for until its client has read all of it. ${searchText(plan)}`,
    ...updates.map(largestText),
  ];
  return [ratesSection('Updates of one subject each', text, 'updates', updates)];
}

function roundTripsSection(requests: readonly ClientsSummary[], plan: E4Plan): Section[] {
  if (requests.length === 0) return [];
  const text = [
    `A random user posts a request of 32 bytes to the stream \`requests\`; one of ${plan.providers} providers, who follow that stream by push and share it by users, posts a reply of 256 bytes to the stream \`replies\`; the user reads it on the stream of its own subject. A round trip counts from the instant that the request was scheduled for, whether or not those before were answered, until the user has read the reply. Both streams take posts with a token; users share ${plan.postConnections} connections to post by, and providers as many. Logs are in memory. ${searchText(plan)}`,
    ...requests.map(largestText),
  ];
  return [ratesSection('Round trips', text, 'requests', requests)];
}

function durableSection(durable: readonly ClientsSummary[]): Section[] {
  if (durable.length === 0) return [];
  const text = [
    'The same with both logs on disk: a request and a reply are each a commit that is synced before its post is answered and before it is sent to anyone. What was published stored nothing.',
    ...durable.map(largestText),
  ];
  return [ratesSection('Round trips with logs on disk', text, 'requests', durable)];
}

/** The largest rate that was kept; where repeats do not agree on one, between which rates they do not. */
function largestText(summary: ClientsSummary): string {
  const { largest, unsteady, steady, kind } = summary;
  if (largest === undefined)
    return `${nameOf(summary)}: not every repeat kept a rate, and none is told as the largest.`;
  if (unsteady !== undefined) {
    const rates = `rates from ${rateText(unsteady.leastFailed)} to ${rateText(unsteady.greatestKept)} ${WORDS[kind].many} a second`;
    const common = steady ? `the largest that every repeat kept is ${rateText(steady.perSecond)}` : NO_COMMON_RATE;
    return `${nameOf(summary)} have no steady limit: ${rates} were kept in some repeats and not in others; ${common}.${endsText(summary)}`;
  }
  const { median, min, max, repeats } = largest;
  const range = repeats > 1 ? ` (${rateText(min)} to ${rateText(max)})` : '';
  return `${nameOf(summary)}: the largest rate that was kept is ${rateText(median)} ${WORDS[kind].many} a second${range}.${endsText(summary)}`;
}

/** What is to be known of the rates that were not kept, a sentence each, with a space before it. */
function endsText({ endedBy, unsteady }: ClientsSummary): string {
  const at = unsteady ? 'At some' : 'At more';
  const ends = [
    endedBy.includes('late answers')
      ? ` ${at}, more than 1 % came late although the server took no more than ${FULL_SHARE * 100} % of its core.`
      : '',
    endedBy.includes('the load') ? ` ${at} the load was saturated: what the server bears is not known.` : '',
    endedBy.includes('the plan') ? ' More was not tried.' : '',
  ];
  return ends.join('');
}

function histogramsOf(summary: ClientsSummary): (readonly [string, LatencyCounts])[] {
  return summary.rates.flatMap(({ delays, perSecond }) =>
    delays
      ? [[`${WORDS[summary.kind].many}, ${nameOf(summary)}, ${rateText(perSecond)}/s`, delays.latency] as const]
      : [],
  );
}
