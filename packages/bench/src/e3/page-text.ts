import { rowNameText } from '../report/number-text.ts';
import type { BrowserRun } from './measure-browser.ts';
import { TRANSPORT_NAMES } from './transport.ts';

const LIST = new Intl.ListFormat('en-GB', { type: 'conjunction' });
const PAGES = ['table', 'chart'] as const;

/** Which transports brought pages every row in time, and which pages fell behind: a sentence each. */
export function pageText(runs: readonly BrowserRun[]): readonly string[] {
  const rates = [...new Set(runs.map(({ offeredPerSecond }) => offeredPerSecond))].sort((left, right) => left - right);
  const transports = [...new Set(runs.map(({ transport }) => transport))].map((transport) => {
    const those = runs.filter((run) => run.transport === transport);
    return { name: TRANSPORT_NAMES[transport], behind: behindText(those, rates) };
  });
  const inTime = transports.filter(({ behind }) => behind === '').map(({ name }) => name);
  const late = transports.filter(({ behind }) => behind !== '').map(({ name, behind }) => `${name} ${behind}`);
  return [
    ...(inTime.length > 0 ? [inTimeText(inTime, rates)] : []),
    ...(late.length > 0 ? [`Pages fell behind, in so many of their repeats: ${late.join('; ')}.`] : []),
  ];
}

function inTimeText(names: readonly string[], rates: readonly number[]): string {
  const bring = names.length === 1 ? 'brings' : 'bring';
  const reached = `every row was there in time at ${LIST.format(rates.map(rowNameText))} rows a second`;
  return `To somebody who looks at a page, drawn five times a second, ${LIST.format(names)} ${bring} far more rows than can be read: ${reached}.`;
}

/** Where pages of one transport fell behind; empty where none did. */
function behindText(runs: readonly BrowserRun[], rates: readonly number[]): string {
  const places = rates.flatMap((rate) => {
    const pages = PAGES.flatMap((page) => {
      const those = runs.filter((run) => run.page === page && run.offeredPerSecond === rate);
      const behind = those.filter(isBehind).length;
      return behind > 0 ? [`${page} ${behind} of ${those.length}`] : [];
    });
    return pages.length > 0 ? [`at ${rowNameText(rate)} rows a second (${pages.join(', ')})`] : [];
  });
  return LIST.format(places);
}

function isBehind({ lost, behind }: BrowserRun): boolean {
  return lost + behind > 0;
}
