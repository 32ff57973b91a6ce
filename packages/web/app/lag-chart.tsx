/*
 * The lag of each update as a dot, on a scale of powers, below the line of what is acceptable and beside that of what was
 * promised. The ground has the colour of the way that updates came by: a switch is seen as it happens.
 *
 *   lags [{ atMs, lagMs: 24, via: 'push' }], samples [{ atMs, malMs: 1000, boundMs: 30, mode: 'push' }]
 *   -> rows by time: [seconds, pushed lag, pulled lag, MAL, bound], in seconds
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type UPlot from 'uplot';
import { duration } from './format.ts';
import type { LiveStream, StatusSample } from './live-stream.ts';
import type { PlotData, PlotOptions } from './plot.tsx';
import { readColours } from './theme.ts';
import { useTick } from './use-tick.ts';

const SHOWN_MS = 120_000;
const LEAST_SHOWN_MS = 10_000;
const DRAW_MS = 500;
const LEAST_SECONDS = 0.001;

export function LagChart({ stream }: { readonly stream: LiveStream }) {
  const [plots, setPlots] = useState<typeof import('./plot.tsx')>();
  useEffect(() => {
    void import('./plot.tsx').then(setPlots);
  }, []);
  const options = useMemo(() => plots && optionsOf(stream, plots), [stream, plots]);
  const tick = useTick(DRAW_MS);
  const data = useMemo(() => rows(stream), [stream, tick]);
  const last = stream.lags.at(-1);
  return (
    <figure class="lag-chart">
      <h3>How late each update was</h3>
      {plots && options ? (
        <plots.Plot
          data={data}
          options={options}
          label={`Lag of updates over the last two minutes. ${last ? `The last one came after ${duration(last.lagMs)}.` : ''}`}
        />
      ) : (
        <div class="plot-room" />
      )}
      <figcaption>
        <span class="key mal">your limit</span> <span class="key bound">expected</span>{' '}
        <span class="key push">by push</span> <span class="key pull">by pull</span>
      </figcaption>
    </figure>
  );
}

function rows({ samples, lags }: LiveStream): PlotData {
  const nowMs = Date.now();
  const isShown = ({ atMs }: { readonly atMs: number }) => atMs > nowMs - SHOWN_MS;
  const all = [...samples.filter(isShown), ...lags.filter(isShown)].sort((a, b) => a.atMs - b.atMs);
  const seconds = (ms: number) => Math.max(LEAST_SECONDS, ms / 1000);
  const lagOf = (way: string) => all.map((row) => ('lagMs' in row && row.via === way ? seconds(row.lagMs) : null));
  const ofStatus = (key: 'malMs' | 'boundMs') =>
    all.map((row) =>
      'malMs' in row ? (Number.isFinite(row[key]) && row[key] > 0 ? seconds(row[key]) : null) : undefined,
    );
  return [
    all.map(({ atMs }) => atMs / 1000),
    lagOf('push'),
    lagOf('pull'),
    ofStatus('malMs'),
    ofStatus('boundMs'),
  ] as PlotData;
}

function optionsOf(stream: LiveStream, { plotAxis }: typeof import('./plot.tsx')): PlotOptions {
  const { push, pull, accent, muted, bad } = readColours('push', 'pull', 'accent', 'muted', 'bad');
  const dots = (stroke: string): UPlot.Series => ({
    stroke,
    paths: () => null,
    points: { show: true, size: 7, fill: stroke, width: 0 },
  });
  return {
    height: 210,
    cursor: { show: false },
    legend: { show: false },
    padding: [10, 14, 0, 0],
    scales: {
      x: { time: true, range: () => [(Date.now() - spanMs(stream)) / 1000, Date.now() / 1000] },
      y: { distr: 3, range: (_plot, least, most) => [Math.min(0.005, least || 0.005), Math.max(2, (most || 1) * 1.6)] },
    },
    axes: [
      plotAxis({ splits: () => instants(stream), values: (_plot, ticks) => ticks.map((tick) => ago(tick)), size: 28 }),
      plotAxis({
        size: 52,
        values: (_plot, ticks) => ticks.map((tick) => (isPower(tick) ? duration(tick * 1000) : '')),
        grid: { show: false },
      }),
    ],
    series: [
      {},
      dots(push),
      dots(pull),
      { stroke: accent, width: 2, dash: [6, 4], spanGaps: true, points: { show: false }, paths: stepped },
      { stroke: muted, width: 1.25, spanGaps: true, points: { show: false }, paths: stepped },
    ],
    hooks: {
      drawClear: [(plot) => tint(plot, stream, { push, pull })],
      draw: [(plot) => markLate(plot, stream, bad)],
    },
  };
}

/** What is shown: all that there is, up to two minutes. */
function spanMs({ samples }: LiveStream): number {
  return Math.min(SHOWN_MS, Math.max(LEAST_SHOWN_MS, Date.now() - (samples[0]?.atMs ?? 0)));
}

// At round distances from now, which move with it.
function instants(stream: LiveStream): number[] {
  const [span, nowMs] = [spanMs(stream), Date.now()];
  const stepMs = span > 60_000 ? 30_000 : span > 30_000 ? 15_000 : 5000;
  return Array.from({ length: Math.floor(span / stepMs) + 1 }, (_, index) => (nowMs - index * stepMs) / 1000).reverse();
}

const isPower = (tick: number) => Math.abs(Math.log10(tick) - Math.round(Math.log10(tick))) < 1e-6;

function ago(tickSeconds: number): string {
  const seconds = Math.round(Date.now() / 1000 - tickSeconds);
  return seconds <= 1 ? 'now' : `−${duration(seconds * 1000)}`;
}

// A limit holds until another one is set: it does not slide from one to the next.
const stepped: UPlot.Series.PathBuilder = (plot, seriesIndex, from, to) => {
  const [path, xs, ys] = [new Path2D(), plot.data[0], plot.data[seriesIndex] as (number | null | undefined)[]];
  let before: number | undefined;
  for (let index = from; index <= to; index += 1) {
    const value = ys[index];
    if (value == null) continue;
    const x = plot.valToPos(xs[index] as number, 'x', true);
    const y = plot.valToPos(value, 'y', true);
    if (before === undefined) path.moveTo(x, y);
    else {
      path.lineTo(x, before);
      path.lineTo(x, y);
    }
    before = y;
  }
  return { stroke: path };
};

function tint(plot: UPlot, { samples }: LiveStream, colours: Readonly<Record<'push' | 'pull', string>>): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.globalAlpha = 0.1;
  for (let at = 0; at < samples.length; ) {
    const { mode, atMs } = samples[at] as StatusSample;
    const next = samples.findIndex((sample, index) => index > at && sample.mode !== mode);
    const untilMs = samples[next]?.atMs ?? Date.now();
    const left = Math.max(bbox.left, plot.valToPos(atMs / 1000, 'x', true));
    const right = Math.min(bbox.left + bbox.width, plot.valToPos(untilMs / 1000, 'x', true));
    ctx.fillStyle = colours[mode];
    if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height);
    at = next < 0 ? samples.length : next;
  }
  ctx.restore();
}

function markLate(plot: UPlot, { lags, samples }: LiveStream, colour: string): void {
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * devicePixelRatio;
  for (const { atMs, lagMs } of lags) {
    const mal = samples.findLast((sample) => sample.atMs <= atMs)?.malMs ?? Number.POSITIVE_INFINITY;
    if (lagMs <= mal || atMs < Date.now() - SHOWN_MS) continue;
    ctx.beginPath();
    ctx.arc(plot.valToPos(atMs / 1000, 'x', true), plot.valToPos(lagMs / 1000, 'y', true), 6 * devicePixelRatio, 0, 7);
    ctx.stroke();
  }
  ctx.restore();
}
