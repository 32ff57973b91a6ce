import { DEFAULT_PAYLOAD_BYTES } from '@ldes-live/latency';
import { counted } from '../counted.ts';
import { formatBytes, formatCount } from '../follow/view/format-amount.ts';
import { formatFigure } from './amounts.ts';
import type { CapacityReport, Origin } from './capacity-report.ts';
import type { Measured } from './measure-url.ts';

/** More connections than this are more than many systems let a process have. */
const MANY_CONNECTIONS = 20_000;

/** A measurement beside which this program took more of a core says what the machine does, not what a core does. */
const CONTENDED_SHARE = 0.3;

/** What a report was reckoned with, for people, and where to get figures of one's own. */
export function assumptionLines({ question, origins, measured, straight, cdn }: CapacityReport): string[] {
  const { intervalSeconds, payloadBytes, costs } = question;
  const pops = formatCount(cdn.pops);
  return [
    'Reckoned with',
    intervalSeconds === undefined
      ? '  updates that nobody can predict (--every SECONDS)'
      : `  an update every ${formatCount(intervalSeconds)} s (${origin(origins.interval, '--every')})`,
    `  a state of ${formatBytes(payloadBytes)} in each of them (${origin(origins.payload, '--payload')})`,
    `  ${formatFigure(costs.requestsPerSecond)} ${requestsText(origins.requests, measured)}`,
    `  ${formatFigure(costs.deliveriesPerSecond)} deliveries/s a core (${
      origins.deliveries === 'derived'
        ? `${formatFigure(costs.deliveriesPerSecond / costs.requestsPerSecond)} times the requests, as found with ${formatBytes(DEFAULT_PAYLOAD_BYTES)}: --deliveries-per-second`
        : origin(origins.deliveries, '--deliveries-per-second')
    })`,
    `  cores that are used to ${Math.round(costs.utilisation * 100)} %`,
    `  ${formatFigure(costs.bytesPerStream / 1024)} KiB a push connection, ${formatFigure(costs.bytesPerPoller / 1024)} KiB a polling one (--connection-kib, --poll-connection-kib)`,
    `  a CDN of ${counted(cdn.pops, 'place').replace(/\d+/, pops)} that each ask once an update; push is passed on (--cdn PLACES)`,
    ...(straight.needs.push.connections > MANY_CONNECTIONS
      ? ['  processes that may have as many open files as they have connections (ulimit -n)']
      : []),
    ...(measured ? ['', ...measurement(measured)] : []),
    '',
    'Figures of your own: ldes-live bench capacity on the machine that will serve, or --measure URL',
    'for polls alone. specs/capacity.md has the formulas.',
  ];
}

function requestsText(from: Origin, measured: Measured | undefined): string {
  if (from === 'measured' && measured && measured.ownShare > CONTENDED_SHARE) {
    return 'requests/s of this machine beside this program (measured), taken for those of a core';
  }
  if (from === 'derived') return 'requests/s a core (in the default ratio to the deliveries: --requests-per-second)';
  return `requests/s a core (${origin(from, '--requests-per-second, or --measure URL')})`;
}

function origin(from: Origin, option: string): string {
  return from === 'default' ? `by default: ${option}` : from;
}

function measurement(measured: Measured): string[] {
  const { url, isRemote, requests, requestsPerSecond, connections, seconds, responseMs, ownShare } = measured;
  if (isRemote || requestsPerSecond === undefined) {
    return [
      `Looked at ${url}: ${counted(requests, 'request')}, one at a time, ${formatFigure(responseMs)} ms each.`,
      '  That is mostly the network, and does not say how many a second it serves.',
    ];
  }
  return [
    `Measured ${url}: ${formatFigure(requestsPerSecond)} answers/s by ${connections} connections in ${formatFigure(seconds)} s.`,
    `  This program took ${Math.round(ownShare * 100)} % of a core meanwhile, so that the server alone serves more.`,
  ];
}
