/*
 * "How it reaches you": a person says how late an update may be, sees which way the client takes then and why, how late
 * each update really was, and what the other way would cost.
 *
 *   slider 0..1 -> MAL 0.1 s .. 600 s, on a scale of powers; left of the break-even push is chosen, right of it pull
 */

import { findLink, parseLinks } from '@ldes-live/rdf-stream';
import { useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { computedSpending, costQuestion, measuredSpending, observedInterval, type Spending } from './costs.ts';
import { bytes, compactNumber, duration, number } from './format.ts';
import { LagChart } from './lag-chart.tsx';
import type { LiveStream } from './live-stream.ts';
import { useTick } from './use-tick.ts';

const MIN_SECONDS = 0.1;
const MAX_SECONDS = 600;
const STEPS = 1000;
const LOOK_MS = 500;

const toSlider = (seconds: number) => (STEPS * Math.log(seconds / MIN_SECONDS)) / Math.log(MAX_SECONDS / MIN_SECONDS);
const fromSlider = (step: number) => rounded(MIN_SECONDS * (MAX_SECONDS / MIN_SECONDS) ** (step / STEPS));

// Three digits are finer than any limit is meant.
function rounded(seconds: number): number {
  return Number(Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, seconds)).toPrecision(3));
}

export function LatencyPanel({
  stream,
  intervalSeconds,
}: {
  readonly stream: LiveStream;
  readonly intervalSeconds?: number | undefined;
}) {
  useTick(LOOK_MS);
  const breakEvenSeconds = useBreakEven(stream.url);
  const status = stream.status.value;
  const malSeconds = stream.malSeconds.value;
  const mode = status?.mode ?? 'pull';
  // Pushed, nothing is expected before the first update.
  const expectedMs = status && (mode === 'pull' || status.updates > 0) ? status.lagBoundMs : undefined;
  const isKept = expectedMs !== undefined && expectedMs <= malSeconds * 1000;
  return (
    <section class="panel latency" aria-labelledby="latency-title">
      <h2 id="latency-title">How it reaches you</h2>
      <MalSlider stream={stream} breakEvenSeconds={breakEvenSeconds} />
      <div class="mode" aria-live="polite">
        <strong class={`badge ${mode}`} data-testid="mode">
          {status ? mode : 'connecting'}
        </strong>
        <p>
          {status?.isCaughtUp && !status.isInTrouble && <strong>{wayText(mode, malSeconds)} </strong>}
          {status ? reasonText(status.reason) : 'The stream is being looked up.'}
        </p>
      </div>
      <dl class="figures">
        <Figure
          name="Expected now"
          value={expectedMs === undefined ? '–' : duration(expectedMs)}
          tone={expectedMs === undefined ? undefined : isKept ? 'good' : 'bad'}
          note={expectedMs === undefined ? 'nothing came yet' : isKept ? 'within your limit' : 'above your limit'}
        />
        <Figure
          name="Slowest so far"
          value={status && status.updates > 0 ? duration(status.maxLagMs) : '–'}
          note={status ? `of ${compactNumber(status.updates)} updates` : ''}
        />
        <Figure
          name="Too late"
          value={status ? number(status.malMisses) : '–'}
          tone={status && status.malMisses > 0 ? 'bad' : undefined}
          note="updates"
        />
      </dl>
      <LagChart stream={stream} />
      <Costs stream={stream} statedSeconds={intervalSeconds} />
    </section>
  );
}

function wayText(mode: 'pull' | 'push', malSeconds: number): string {
  const limit = duration(malSeconds * 1000);
  return mode === 'push'
    ? `You want updates within ${limit}: the server sends each one at once.`
    : `${limit} is enough: the page asks in time for it, which is cheaper to serve.`;
}

function MalSlider({
  stream,
  breakEvenSeconds,
}: {
  readonly stream: LiveStream;
  readonly breakEvenSeconds: number | undefined;
}) {
  const malSeconds = stream.malSeconds.value;
  // What is under the hand; the stream follows when the hand rests.
  const shown = useSignal(malSeconds);
  const typed = useSignal<string | undefined>(undefined);
  useEffect(() => {
    shown.value = malSeconds;
  }, [malSeconds]);
  useEffect(() => {
    const timer = setTimeout(() => shown.value !== stream.malSeconds.peek() && stream.choose(shown.value), 250);
    return () => clearTimeout(timer);
  }, [shown.value]);
  const breakEven =
    breakEvenSeconds === undefined ? undefined : Math.min(1, Math.max(0, toSlider(breakEvenSeconds) / STEPS));
  return (
    <div class="mal">
      <label for="mal-seconds">An update may be at most</label>
      <span class="mal-field">
        <input
          id="mal-seconds"
          type="number"
          min={MIN_SECONDS}
          max={MAX_SECONDS}
          step="any"
          value={typed.value ?? shown.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
          }}
          onChange={({ currentTarget }) => {
            const seconds = Number(currentTarget.value);
            if (seconds > 0) shown.value = rounded(seconds);
            typed.value = undefined;
          }}
        />{' '}
        seconds old when it reaches you.
      </span>
      <div class="mal-track" style={{ '--break-even': breakEven === undefined ? '100%' : `${breakEven * 100}%` }}>
        <input
          type="range"
          min="0"
          max={STEPS}
          value={toSlider(shown.value)}
          aria-label="Maximum acceptable latency"
          aria-valuetext={duration(shown.value * 1000)}
          onInput={({ currentTarget }) => {
            shown.value = fromSlider(Number(currentTarget.value));
          }}
        />
        {breakEven !== undefined && (
          <p class="mal-ways" aria-hidden="true">
            <span style={{ width: `${breakEven * 100}%` }}>the server sends: push</span>
            <span>the page asks: pull</span>
          </p>
        )}
        <p class="mal-scale" aria-hidden="true">
          {[0.1, 1, 10, 60, 600].map((seconds) => (
            <button
              type="button"
              key={seconds}
              tabIndex={-1}
              style={{ left: `${toSlider(seconds) / 10}%` }}
              onClick={() => (shown.value = seconds)}
            >
              {seconds < 60 ? `${seconds} s` : `${seconds / 60} min`}
            </button>
          ))}
        </p>
      </div>
    </div>
  );
}

function Figure({
  name,
  value,
  note,
  tone,
}: {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly tone?: string | undefined;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={tone ?? ''}>
        {value} <small>{note}</small>
      </dd>
    </div>
  );
}

function Costs({ stream, statedSeconds }: { readonly stream: LiveStream; readonly statedSeconds: number | undefined }) {
  const { samples, lags, firstState } = stream;
  const mode = stream.status.value?.mode ?? 'pull';
  const other = mode === 'pull' ? 'push' : 'pull';
  if (!firstState) return null;
  const question = costQuestion(stream, observedInterval(lags) ?? statedSeconds);
  const measured = measuredSpending(samples, Date.now());
  const [here, there] = [computedSpending(mode, question), computedSpending(other, question)];
  const mostReaders = Math.max(here.readersPerCore, there.readersPerCore);
  const row = (way: 'pull' | 'push', kind: string, spending: Spending | undefined, readersPerCore: number) => (
    <tr>
      <th scope="row">
        <span class={`badge ${way}`}>{way}</span> <small>{kind}</small>
      </th>
      <td>
        <span class={`bar ${way}`} style={{ width: `${(readersPerCore / mostReaders) * 100}%` }} />
        {compactNumber(Number(readersPerCore.toPrecision(2)))}
      </td>
      <td>{spending ? few(spending.requestsPerMinute) : '…'}</td>
      <td>{spending ? bytes(spending.bytesPerMinute) : '…'}</td>
    </tr>
  );
  const events = mode === 'push' ? measured && { ...measured, requestsPerMinute: eventsPerMinute(stream) } : measured;
  return (
    <div class="costs">
      <table>
        <caption>What each way costs</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">readers a core serves</th>
            <th scope="col">messages a minute</th>
            <th scope="col">bytes a minute, unpacked</th>
          </tr>
        </thead>
        <tbody>
          {row(mode, 'measured', events, here.readersPerCore)}
          {row(other, 'estimated', there, there.readersPerCore)}
        </tbody>
      </table>
      <p class="hint">
        Readers are computed for your limit, for one core of a server without caches. Caches answer polls for it; they
        cannot answer events.
      </p>
    </div>
  );
}

const few = (count: number) => (count > 0 && count < 0.1 ? '< 0.1' : number(Number(count.toPrecision(2))));

function eventsPerMinute({ lags, samples }: LiveStream): number {
  const sinceMs = Math.max(Date.now() - 60_000, samples[0]?.atMs ?? 0);
  const minutes = Math.max(Date.now() - sinceMs, 1) / 60_000;
  return lags.filter(({ atMs }) => atMs >= sinceMs).length / minutes;
}

/** The MAL from which on clients pull, as the server advertises it for its stream; `undefined` where it says nothing. */
function useBreakEven(url: string): number | undefined {
  const [seconds, setSeconds] = useState<number>();
  useEffect(() => {
    const stop = new AbortController();
    const look = async () => {
      const response = await fetch(url, {
        method: 'HEAD',
        headers: { accept: 'application/ld+json' },
        signal: stop.signal,
      });
      const push = findLink(parseLinks(response.headers.get('link') ?? '', url), 'alternate', 'text/event-stream');
      const value = Number(push?.parameters['break-even']);
      if (value > 0) setSeconds(value);
    };
    look().catch(() => {});
    return () => stop.abort();
  }, [url]);
  return seconds;
}

/** The client's reason as a sentence. */
function reasonText(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? '' : '.'}`;
}
