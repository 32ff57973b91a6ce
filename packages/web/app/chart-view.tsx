/*
 * One numeric property over time, for one entity or several: what the pages still hold of the last hour comes first, and
 * goes on with each update.
 *
 *   history and changes -> points by entity: [{ atMs, value }] -> columns for the chart: [times, series 1, series 2, ...]
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { seriesColour } from './colours.ts';
import { factsOf, numericPaths } from './entity.ts';
import { dateTime, number } from './format.ts';
import { numberOf, pathLabel } from './labels.ts';
import { type LiveStream, readHistory } from './live-stream.ts';
import { Plot, type PlotData, type PlotOptions, plotAxis } from './plot.tsx';
import { useTick } from './use-tick.ts';

const HISTORY_MS = 3_600_000;
const LIMIT_SERIES = 6;
const LIMIT_POINTS = 2000;
const DRAW_MS = 500;

type Points = Map<string, { atMs: number; value: number }[]>;

export function ChartView({ stream, entity }: { readonly stream: LiveStream; readonly entity?: string | undefined }) {
  const paths = numericPaths(stream);
  const [chosen, setChosen] = useState<string>();
  const path =
    chosen ?? paths.find((each) => /(value|result|speed|temperature|available|count)/i.test(each)) ?? paths[0];
  const [extra, setExtra] = useState<readonly string[]>(entity === undefined ? [] : [entity]);
  const first = useMemo(
    () => [...stream.entities.keys()].slice(0, entity === undefined ? LIMIT_SERIES : 0),
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
      <Series key={path} stream={stream} path={path} shown={shown} />
    </div>
  );
}

function Series({
  stream,
  path,
  shown,
}: {
  readonly stream: LiveStream;
  readonly path: string;
  readonly shown: readonly string[];
}) {
  const points = useRef<Points>(new Map());
  const drawn = useTick(DRAW_MS);
  const [history, setHistory] = useState<'reading' | 'read' | 'failed'>('reading');
  const key = shown.join(' ');
  useEffect(() => {
    const known: Points = new Map(shown.map((iri) => [iri, []]));
    points.current = known;
    const stop = new AbortController();
    setHistory('reading');
    const read = async () => {
      for await (const member of readHistory(stream.url, { sinceMs: Date.now() - HISTORY_MS, signal: stop.signal })) {
        const value =
          known.has(member.entity) && member.kind === 'upsert' ? numberOf(factsOf(member).get(path)?.[0]) : undefined;
        if (value !== undefined) add(known, member.entity, instantOf(member), value);
      }
      setHistory('read');
    };
    read().catch(() => stop.signal.aborted || setHistory('failed'));
    const take = (iris: Iterable<string>) => {
      for (const iri of iris) {
        const entity = known.has(iri) ? stream.entities.get(iri) : undefined;
        const value = numberOf(entity?.facts.get(path)?.[0]);
        if (entity && value !== undefined) add(known, iri, instantOf(entity.member), value);
      }
    };
    take(shown);
    const stopListening = stream.onChanges(take);
    return () => {
      stop.abort();
      stopListening();
    };
  }, [stream, path, key]);
  const data = useMemo(() => columns(points.current, shown), [drawn, key]);
  const options = useMemo(() => optionsOf(shown.map((iri) => stream.entities.get(iri)?.label ?? iri)), [key]);
  return (
    <div class="series">
      <Plot data={data} options={options} label={`${pathLabel(path)} over time of ${shown.length} entities`} />
      <p class="hint" aria-live="polite">
        {history === 'reading' && 'What was published in the last hour is being read…'}
        {history === 'failed' && 'What was published before cannot be read: the chart begins now.'}
        {history === 'read' &&
          'From the history of the last hour, as far as the stream keeps it, and live from now on.'}
      </p>
    </div>
  );
}

const instantOf = ({ versionTime, time }: { readonly versionTime?: string | undefined; readonly time: string }) =>
  Date.parse(versionTime ?? time);

// History and updates may tell of the same version; what is late goes to its place.
function add(points: Points, iri: string, atMs: number, value: number): void {
  const known = points.get(iri);
  if (!known || Number.isNaN(atMs)) return;
  let at = known.length;
  while (at > 0 && (known[at - 1] as { atMs: number }).atMs > atMs) at -= 1;
  if (known[at - 1]?.atMs === atMs) return;
  known.splice(at, 0, { atMs, value });
  if (known.length > LIMIT_POINTS) known.shift();
}

function columns(points: Points, shown: readonly string[]): PlotData {
  const times = [...new Set([...points.values()].flatMap((all) => all.map(({ atMs }) => atMs)))].sort((a, b) => a - b);
  const series = shown.map((iri) => {
    const values = new Map((points.get(iri) ?? []).map(({ atMs, value }) => [atMs, value]));
    return times.map((time) => values.get(time));
  });
  return [times.map((ms) => ms / 1000), ...series] as PlotData;
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
