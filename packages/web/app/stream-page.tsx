/*
 * One stream: what it is, its views, how it reaches the reader, and how to use it elsewhere.
 *
 *   route { name: 'vehicles', view: undefined } -> LiveStream at MAL 1 s -> the map if entities have places, else the table
 *
 * What its entities refer to in other streams of the server, such as a timetable, is followed loosely beside it: it gives
 * labels, colours, stops and shapes.
 */
import type { ComponentType } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { catalog } from './catalog.ts';
import { numericPaths } from './entity.ts';
import { age, compactNumber, dateTime } from './format.ts';
import { LatencyPanel } from './latency-panel.tsx';
import { type LiveStream, streamAt } from './live-stream.ts';
import { type StreamRoute, settings, streamHref, type ViewName, viewHref } from './route.ts';
import { TableView } from './table-view.tsx';
import { followRecipes, queryRecipes, UseIt } from './use-it.tsx';
import { useTick } from './use-tick.ts';

const FIRST_MAL_SECONDS = 1;
const RELATED_MAL_SECONDS = 120;
const LOOK_MS = 1000;
const RELATED_MS = 1000;
const SAMPLE = 500;
const NAMES: Readonly<Record<ViewName, string>> = {
  map: 'Map',
  table: 'Table',
  chart: 'Chart',
  ask: 'Ask',
  entity: 'Entity',
};

export function StreamPage({ name, url, isForeign, view: asked, parameters }: StreamRoute) {
  const stream = streamAt(url);
  useEffect(
    () => (isForeign && !settings.foreign ? undefined : stream.open(stream.chosenSeconds ?? FIRST_MAL_SECONDS)),
    [stream, isForeign],
  );
  useTick(LOOK_MS);
  void stream.changed.value;
  const found = catalog.value;
  const isLost = found instanceof Error && !isForeign;
  const entry =
    found && !(found instanceof Error) && !isForeign ? found.streams.find((each) => each.name === name) : undefined;
  const related = useRelated(stream, name);
  // Looked at again whenever there are twice as many, and when the first state is there.
  const seen = [stream, Math.round(Math.log2(stream.entities.size + 1)), stream.firstState];
  const hasPlaces = useMemo(
    () => [...stream.entities.values()].slice(0, SAMPLE).some(({ position }) => position),
    seen,
  );
  const hasNumbers = useMemo(() => numericPaths(stream).length > 0, seen);
  const views = (['map', 'table', 'chart', 'ask'] as const).filter(
    (each) =>
      each === 'table' ||
      (each === 'map' && hasPlaces) ||
      (each === 'chart' && hasNumbers) ||
      (each === 'ask' && entry?.sparql),
  );
  const isThere = asked === 'entity' || views.some((each) => each === asked);
  const view = isThere ? asked : stream.firstState || hasPlaces ? views[0] : undefined;
  if (isForeign && !settings.foreign) {
    return (
      <div class="notice bad" role="alert">
        <p>
          This server does not open streams of others. Its operator can allow it: `web.foreign: true` in the
          configuration.
        </p>
      </div>
    );
  }
  const query = parameters.get('query') ?? undefined;
  return (
    <div class="stream-page">
      <header class="stream-head">
        <h1>{entry?.title ?? name}</h1>
        {isForeign && (
          <p class="badge pull">
            a stream of another server, {stream.status.value?.mode === 'push' ? 'pushed' : 'polled'}
          </p>
        )}
        {entry?.description && entry.description !== entry.title && <p>{entry.description}</p>}
        <p class="head-facts">
          <span>
            <strong>{compactNumber(stream.entities.size)}</strong> living entities
          </span>
          {stream.newestMs !== undefined && (
            <span title={dateTime(stream.newestMs)}>
              last update <strong>{age(Date.now() - stream.newestMs)}</strong>
            </span>
          )}
          {entry?.publisher && <span>by {entry.publisher}</span>}
        </p>
      </header>
      {isLost && <p class="notice bad">The catalogue cannot be read: {found.message} It is tried again.</p>}
      <Condition stream={stream} />
      <div class="stream-body">
        <section class="view" aria-label="Data">
          <nav class="tabs" aria-label="Views">
            {views.map((each) => (
              <a key={each} href={viewHref(each)} aria-current={view === each ? 'page' : undefined}>
                {NAMES[each]}
              </a>
            ))}
            {view === 'entity' && (
              <a href={location.hash} aria-current="page">
                {stream.entities.get(parameters.get('iri') ?? '')?.label ?? 'Entity'}
              </a>
            )}
          </nav>
          <View stream={stream} view={view} back={views[0] ?? 'table'} parameters={parameters} related={related} />
        </section>
        <aside>
          <LatencyPanel stream={stream} intervalSeconds={entry?.intervalSeconds} />
        </aside>
        <div class="use">
          <UseIt
            recipes={
              view === 'ask' && query !== undefined
                ? queryRecipes(url, query)
                : followRecipes(url, stream.malSeconds.value)
            }
          />
        </div>
      </div>
    </div>
  );
}

interface ViewProperties {
  readonly stream: LiveStream;
  readonly view: ViewName | undefined;
  readonly back: ViewName;
  readonly parameters: URLSearchParams;
  readonly related: readonly LiveStream[];
}

function View({ stream, view, back, parameters, related }: ViewProperties) {
  const iri = parameters.get('iri') ?? undefined;
  if (view === undefined) return stream.failure.value ? null : <p class="empty">The stream is being read…</p>;
  if (view === 'table') return <TableView stream={stream} />;
  if (view === 'map') return <Later key="map" load={loadMap} properties={{ stream, related }} />;
  if (stream.entities.size === 0 && view === 'chart') return <p class="empty">There are no entities yet.</p>;
  if (view === 'chart') return <Later key={`chart ${iri}`} load={loadChart} properties={{ stream, entity: iri }} />;
  if (view === 'ask')
    return <Later key="ask" load={loadAsk} properties={{ stream, asked: parameters.get('query') ?? undefined }} />;
  return iri === undefined ? (
    <p class="empty">Choose an entity in the table or on the map.</p>
  ) : (
    <Later key={iri} load={loadEntity} properties={{ stream, iri, back }} />
  );
}

// Map, charts and editor are most of all code: each comes when it is first looked at.
const loadMap = () => import('./map-view.tsx').then(({ MapView }) => MapView);
const loadChart = () => import('./chart-view.tsx').then(({ ChartView }) => ChartView);
const loadAsk = () => import('./ask-view.tsx').then(({ AskView }) => AskView);
const loadEntity = () => import('./entity-view.tsx').then(({ EntityView }) => EntityView);

function Later<Properties extends object>({
  load,
  properties,
}: {
  load: () => Promise<ComponentType<Properties>>;
  properties: Properties;
}) {
  const [loaded, setLoaded] = useState<{ readonly Part: ComponentType<Properties> }>();
  const [problem, setProblem] = useState<Error>();
  useEffect(() => {
    const attempt = () => {
      setProblem(undefined);
      load().then((Part) => setLoaded({ Part }), setProblem);
    };
    attempt();
    // What could not be loaded for want of a network is loaded when there is one.
    addEventListener('online', attempt);
    return () => removeEventListener('online', attempt);
  }, [load]);
  if (problem) return <p class="notice bad">This view cannot be loaded: {problem.message}</p>;
  if (!loaded) return <p class="empty">The view is being loaded…</p>;
  return <loaded.Part {...properties} />;
}

/** What is wrong, where something is: offline, stale, refused, or empty. */
function Condition({ stream }: { readonly stream: LiveStream }) {
  const status = stream.status.value;
  const failure = stream.failure.value;
  if (failure) {
    return (
      <div class="notice bad" role="alert">
        <p>{failure.message}</p>
        <button type="button" onClick={() => stream.retry()}>
          Try again
        </button>
      </div>
    );
  }
  if (status?.isInTrouble) {
    return (
      <p class="notice bad" role="status">
        {navigator.onLine ? 'The server does not answer as it should.' : 'You are offline.'} What is shown is as of{' '}
        {stream.newestMs === undefined ? 'no time yet' : dateTime(stream.newestMs)}; it goes on from there as soon as it
        can.
      </p>
    );
  }
  if (status?.source?.state === 'failing') {
    return (
      <p class="notice bad" role="status">
        {status.source.completeTo === undefined
          ? `The source has been failing since ${dateTime(Date.parse(status.source.since))}`
          : `This server cannot reach the other nodes since ${dateTime(Date.parse(status.source.completeTo))}`}
        : the data are getting older.
      </p>
    );
  }
  if (stream.firstState && stream.entities.size === 0)
    return (
      <p class="notice" role="status">
        This stream has no entities at the moment. New ones appear here at once.
      </p>
    );
  return null;
}

/** The streams of this server whose entities are referred to. */
function useRelated(stream: LiveStream, name: string): readonly LiveStream[] {
  const found = catalog.value;
  const known = found && !(found instanceof Error) ? found.streams.map((each) => each.name) : [];
  const [names, setNames] = useState<readonly string[]>([]);
  const [related, setRelated] = useState<readonly LiveStream[]>([]);
  const hasState = stream.firstState !== undefined;
  useEffect(() => {
    const referred = new Set<string>();
    for (const { facts } of [...stream.entities.values()].slice(0, 200)) {
      for (const [{ value } = { value: '' }] of facts.values()) {
        const [, other] = /\/([a-z0-9-]+)\/entities\//.exec(value) ?? [];
        if (other !== undefined && other !== name && known.includes(other)) referred.add(other);
      }
    }
    setNames([...referred].sort());
  }, [stream, hasState, known.join(' ')]);
  useEffect(() => {
    const streams = names.map((each) => streamAt(streamHref(each)));
    const closers = streams.map((each) => each.open(RELATED_MAL_SECONDS));
    // Who shows them goes over all of them: now and then is enough.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = () => {
      timer = undefined;
      setRelated(streams.filter(({ firstState }) => firstState));
    };
    const told = streams.map((each) =>
      each.onChanges(() => {
        timer ??= setTimeout(tell, RELATED_MS);
      }),
    );
    tell();
    return () => {
      clearTimeout(timer);
      for (const end of [...told, ...closers]) end();
    };
  }, [names.join(' ')]);
  return related;
}
