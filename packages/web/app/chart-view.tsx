/*
 * One numeric property over time, for one entity or several: what the pages still hold of the last hour comes first, and
 * goes on with each update.
 *
 *   history and changes -> points by entity and property: [{ atMs, value }] -> columns for the chart: [times, series 1, series 2, ...]
 */
import type { Member } from '@ldes-live/client';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { seriesColour } from './colours.ts';
import { factsOf, numericPaths } from './entity.ts';
import { dateTime, number } from './format.ts';
import { numberOf, pathLabel } from './labels.ts';
import { type LiveStream, readHistory } from './live-stream.ts';
import { Plot, type PlotData, type PlotOptions, plotAxis } from './plot.tsx';
import { useTick } from './use-tick.ts';

const FIRST_SERIES = 3;
const LIMIT_SERIES = 6;
const LIMIT_POINTS = 2000;
const DRAW_MS = 500;

interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** Points of all numeric properties, by entity and property: read once, and shown from as chosen. */
class NumberHistory {
  readonly #points = new Map<string, Point[]>();

  of(iri: string, path: string): readonly Point[] {
    return this.#points.get(`${iri} ${path}`) ?? [];
  }

  add(member: Member, facts = factsOf(member)): void {
    const atMs = Date.parse(member.versionTime ?? member.time);
    if (Number.isNaN(atMs)) return;
    for (const [path, [term]] of facts) {
      const value = numberOf(term);
      if (value !== undefined) this.#put(`${member.entity} ${path}`, { atMs, value });
    }
  }

  clear(): void {
    this.#points.clear();
  }

  // History and updates may tell of the same version; what is late goes to its place.
  #put(key: string, point: Point): void {
    const known = this.#points.get(key) ?? [];
    this.#points.set(key, known);
    let at = known.length;
    while (at > 0 && (known[at - 1] as Point).atMs > point.atMs) at -= 1;
    if (known[at - 1]?.atMs === point.atMs) return;
    known.splice(at, 0, point);
    if (known.length > LIMIT_POINTS) known.shift();
  }
}

export function ChartView({ stream, entity }: { readonly stream: LiveStream; readonly entity?: string | undefined }) {
  const paths = numericPaths(stream);
  const [chosen, setChosen] = useState<string>();
  const path =
    chosen ?? paths.find((each) => /(value|result|speed|temperature|available|count|delay)/i.test(each)) ?? paths[0];
  const [extra, setExtra] = useState<readonly string[]>(entity === undefined ? [] : [entity]);
  const first = useMemo(
    () => [...stream.entities.keys()].slice(0, entity === undefined ? FIRST_SERIES : 0),
    [stream, stream.entities.size > 0],
  );
  const shown = [...new Set([...extra, ...(extra.length > 0 ? [] : first)])].slice(0, LIMIT_SERIES);
  if (path === undefined) return <p class="empty">No property of this stream has numbers to draw.</p>;
  return (
    <div class="chart-view">
      <div class="toolbar">
        <label>
          Property{' '}
          <select value={path} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {paths.map((each) => (
              <option key={each} value={each}>
                {pathLabel(each)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Of{' '}
          <select
            value=""
            onChange={({ currentTarget }) =>
              setExtra([...new Set([...shown, currentTarget.value])].slice(-LIMIT_SERIES))
            }
          >
            <option value="">add an entity…</option>
            {[...stream.entities.values()].slice(0, 500).map(({ iri, label }) => (
              <option key={iri} value={iri}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ul class="chips">
        {shown.map((iri, index) => (
          <li key={iri}>
            <span class="swatch" style={{ background: seriesColour(index) }} />{' '}
            {stream.entities.get(iri)?.label ?? 'gone'}
            {shown.length > 1 && (
              <button
                type="button"
                aria-label={`Leave out ${stream.entities.get(iri)?.label ?? iri}`}
                onClick={() => setExtra(shown.filter((each) => each !== iri))}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
      <Series stream={stream} path={path} shown={shown} />
    </div>
  );
}

interface SeriesProperties {
  readonly stream: LiveStream;
  readonly path: string;
  readonly shown: readonly string[];
}

function Series({ stream, path, shown }: SeriesProperties) {
  const { numbers, state } = useNumbers(stream, shown);
  const drawn = useTick(DRAW_MS);
  const key = shown.join(' ');
  const data = useMemo(() => columns(shown.map((iri) => numbers.of(iri, path))), [drawn, key, path]);
  const options = useMemo(() => optionsOf(shown.map((iri) => stream.entities.get(iri)?.label ?? iri)), [key]);
  return (
    <div class="series">
      <Plot data={data} options={options} label={`${pathLabel(path)} over time of ${shown.length} entities`} />
      <p class="hint" aria-live="polite">
        {state === 'reading' && 'The last hour is being read…'}
        {state === 'failed' && 'Earlier updates cannot be read: the chart begins now.'}
        {state === 'read' && 'The last hour, as far as the stream keeps it, then live.'}
      </p>
    </div>
  );
}

function useNumbers(stream: LiveStream, shown: readonly string[]) {
  const numbers = useMemo(() => new NumberHistory(), [stream]);
  const [state, setState] = useState<'reading' | 'read' | 'failed'>('reading');
  const gaps = stream.gaps.value;
  useEffect(() => {
    const stop = new AbortController();
    setState('reading');
    numbers.clear();
    const read = async () => {
      for await (const member of readHistory(stream, { signal: stop.signal })) numbers.add(member);
      setState('read');
    };
    read().catch(() => stop.signal.aborted || setState('failed'));
    return () => stop.abort();
  }, [stream, gaps]);
  useEffect(() => {
    const take = (changed: Iterable<string>) => {
      const wanted = new Set(shown);
      for (const iri of changed) {
        const entity = wanted.has(iri) ? stream.entities.get(iri) : undefined;
        if (entity) numbers.add(entity.member, entity.facts);
      }
    };
    take(shown);
    return stream.onChanges(take);
  }, [stream, shown.join(' ')]);
  return { numbers, state };
}

function columns(series: readonly (readonly Point[])[]): PlotData {
  const times = [...new Set(series.flatMap((points) => points.map(({ atMs }) => atMs)))].sort((a, b) => a - b);
  const values = series.map((points) => {
    const byTime = new Map(points.map(({ atMs, value }) => [atMs, value]));
    return times.map((time) => byTime.get(time));
  });
  return [times.map((ms) => ms / 1000), ...values] as PlotData;
}

function optionsOf(labels: readonly string[]): PlotOptions {
  return {
    height: 360,
    padding: [12, 12, 0, 0],
    cursor: { points: { size: 6 } },
    axes: [
      plotAxis({ space: 80, values: (_plot, ticks) => ticks.map((tick) => dateTime(tick * 1000)) }),
      plotAxis({ size: 60, values: (_plot, ticks) => ticks.map(number) }),
    ],
    series: [
      { value: (_plot, seconds) => (seconds == null ? '' : dateTime(seconds * 1000)) },
      ...labels.map((label, index) => ({
        label,
        stroke: seriesColour(index),
        width: 2,
        spanGaps: true,
        points: { size: 5 },
        value: (_plot: unknown, value: number | null) => (value == null ? '' : number(value)),
      })),
    ],
  };
}
