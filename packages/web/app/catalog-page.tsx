/*
 * The first page: a card for each stream of the server, alive. A card that is in sight follows its stream loosely, at a MAL
 * by which clients pull; who then opens the stream finds it read already.
 */
import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Catalog, type CatalogStream, readCatalog } from './catalog.ts';
import { age, compactNumber } from './format.ts';
import { termLabel } from './labels.ts';
import { type LiveStream, streamAt } from './live-stream.ts';
import { baseUrl, settings, streamHref } from './route.ts';
import { Sparkline } from './sparkline.tsx';
import { frequentPaths } from './table-view.tsx';
import { UseIt } from './use-it.tsx';
import { useTick } from './use-tick.ts';

/** Loosely: a card is a glance. */
const CARD_MAL_SECONDS = 20;
const BUCKET_MS = 10_000;
const BUCKETS = 30;
const LOOK_MS = 1000;
const LIMIT_DOTS = 3000;

/** The catalogue, or why there is none; read once for all pages. */
export const catalog = signal<Catalog | Error | undefined>(undefined);

export async function loadCatalog(): Promise<void> {
  try {
    catalog.value = await readCatalog(baseUrl, AbortSignal.timeout(30_000));
  } catch (error) {
    catalog.value = error as Error;
  }
}

export function CatalogPage() {
  const [search, setSearch] = useState('');
  const found = catalog.value;
  if (found === undefined) return <p class="empty">The catalogue is being read…</p>;
  if (found instanceof Error) {
    return (
      <div class="notice bad" role="alert">
        <p>The catalogue cannot be read: {found.message}</p>
        <button type="button" onClick={() => void loadCatalog()}>
          Try again
        </button>
      </div>
    );
  }
  const words = search.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = ({ title, description, keywords, name }: CatalogStream) =>
    [title, description, name, ...keywords].join(' ').toLowerCase();
  const shown = found.streams.filter((stream) => words.every((word) => textOf(stream).includes(word)));
  const [first] = found.streams;
  return (
    <div class="catalog">
      <header class="hero">
        <h1>Live data, as late as you allow</h1>
        <p>
          {found.publisher ?? 'This server'} publishes{' '}
          {found.streams.length === 1 ? 'a stream' : `${found.streams.length} streams`} as Linked Data. Say how old an
          update may be, and a client pulls or is pushed to, whichever costs less. Open one to see it.
        </p>
        <input
          type="search"
          placeholder="Search by keyword"
          aria-label="Search streams by keyword"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </header>
      <ul class="cards">
        {shown.map((stream) => (
          <Card key={stream.name} entry={stream} />
        ))}
      </ul>
      {shown.length === 0 && (
        <p class="empty">
          {found.streams.length === 0 ? 'This server has no streams yet.' : 'No stream has those words.'}
        </p>
      )}
      {settings.foreign && <ForeignForm />}
      {first && (
        <UseIt
          recipes={[
            { name: 'Terminal', text: `npx ldes-live follow ${streamHref(first.name)} --mal 10` },
            { name: 'curl, this catalogue in DCAT', text: `curl -H 'Accept: text/turtle' ${baseUrl}` },
            {
              name: 'JavaScript',
              text: `import { createLiveClient } from '@ldes-live/client';\n\nconst client = createLiveClient({ mal: 10 });\nfor await (const change of client.follow('${streamHref(first.name)}')) console.log(change.member?.entity);`,
            },
          ]}
        />
      )}
    </div>
  );
}

function Card({ entry }: { readonly entry: CatalogStream }) {
  const { name, title, description, licence, keywords } = entry;
  const stream = streamAt(streamHref(name));
  const card = useRef<HTMLLIElement>(null);
  useTick(LOOK_MS);
  useEffect(() => {
    let close: (() => void) | undefined;
    const observer = new IntersectionObserver(([seen]) => {
      if (seen?.isIntersecting) close ??= stream.open(CARD_MAL_SECONDS);
      else {
        close?.();
        close = undefined;
      }
    });
    observer.observe(card.current as HTMLElement);
    return () => {
      observer.disconnect();
      close?.();
    };
  }, [stream]);
  void stream.changed.value;
  const status = stream.status.value;
  const { newestMs, entities } = stream;
  return (
    <li class="card" ref={card}>
      <a class="card-link" href={streamHref(name)}>
        <Preview stream={stream} />
        <h2>{title}</h2>
      </a>
      {description && description !== title && <p>{description}</p>}
      <dl class="facts">
        <div>
          <dt>living entities</dt>
          <dd>{stream.firstState ? compactNumber(entities.size) : '…'}</dd>
        </div>
        <div>
          <dt>last update</dt>
          <dd>{newestMs === undefined ? '…' : age(Date.now() - newestMs)}</dd>
        </div>
        <div class="wide">
          <dt>updates, last 5 minutes</dt>
          <dd>
            <Sparkline
              isBars
              values={updatesPerBucket(stream)}
              label="Updates in the last five minutes, by ten seconds"
            />
          </dd>
        </div>
      </dl>
      {status?.source?.state === 'failing' && <p class="notice bad">Its source fails: what is shown gets older.</p>}
      {stream.failure.value && <p class="notice bad">{stream.failure.value.message}</p>}
      <p class="tags">
        {keywords.map((keyword) => (
          <span class="tag" key={keyword}>
            {keyword}
          </span>
        ))}
        {licence && (
          <a href={licence} class="tag" rel="license">
            {licenceName(licence)}
          </a>
        )}
      </p>
    </li>
  );
}

/** Where the entities are, as dots; or, where they have no place, three of them in words. */
function Preview({ stream }: { readonly stream: LiveStream }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const entities = [...stream.entities.values()].slice(0, LIMIT_DOTS);
  const places = entities.flatMap(({ position }) => position ?? []);
  useEffect(() => {
    if (canvas.current) drawDots(canvas.current, places);
  });
  if (entities.length === 0) return <div class="preview" />;
  if (places.length > 0) return <canvas class="preview" width="640" height="240" ref={canvas} aria-hidden="true" />;
  const [path] = frequentPaths(entities.slice(0, 50));
  return (
    <div class="preview rows" aria-hidden="true">
      {entities.slice(0, 3).map(({ iri, label, facts }) => (
        <p key={iri}>
          <span>{label}</span>
          <span>{path === undefined ? '' : (facts.get(path) ?? []).slice(0, 1).map(termLabel).join('')}</span>
        </p>
      ))}
    </div>
  );
}

function drawDots(
  canvas: HTMLCanvasElement,
  places: readonly { readonly longitude: number; readonly latitude: number }[],
): void {
  const context = canvas.getContext('2d');
  if (!context || places.length === 0) return;
  const { width, height } = canvas;
  const xs = places.map(({ longitude }) => longitude);
  const ys = places.map(({ latitude }) => latitude);
  const [west, east, south, north] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const narrow = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const scale = Math.min(
    (width - 60) / Math.max((east - west) * narrow, 1e-6),
    (height - 60) / Math.max(north - south, 1e-6),
  );
  context.clearRect(0, 0, width, height);
  context.fillStyle = getComputedStyle(canvas).color;
  context.globalAlpha = places.length > 500 ? 0.5 : 0.85;
  const radius = places.length > 500 ? 2.5 : 6;
  for (const { longitude, latitude } of places) {
    context.beginPath();
    context.arc(
      width / 2 + (longitude - (west + east) / 2) * narrow * scale,
      height / 2 - (latitude - (south + north) / 2) * scale,
      radius,
      0,
      7,
    );
    context.fill();
  }
}

/** What was published in each ten seconds: of what was there already, the newest version of each entity counts. */
function updatesPerBucket({ entities }: LiveStream): number[] {
  const counts = Array.from({ length: BUCKETS }, () => 0);
  const nowMs = Date.now();
  for (const { member } of entities.values()) {
    const bucket = Math.floor((nowMs - Date.parse(member.time)) / BUCKET_MS);
    if (bucket >= 0 && bucket < BUCKETS) counts[BUCKETS - 1 - bucket] = (counts[BUCKETS - 1 - bucket] ?? 0) + 1;
  }
  return counts;
}

function licenceName(iri: string): string {
  if (/publicdomain\/zero/.test(iri)) return 'CC0';
  const [, kind, version] = /creativecommons\.org\/licenses\/([a-z-]+)\/([\d.]+)/.exec(iri) ?? [];
  return kind ? `CC ${kind.toUpperCase()} ${version}` : 'Licence';
}

function ForeignForm() {
  return (
    <form class="foreign" action={`${baseUrl}view`}>
      <label>
        Look at another LDES <input type="url" name="url" required placeholder="https://example.org/ldes" />
      </label>
      <button type="submit">Open</button>
    </form>
  );
}
