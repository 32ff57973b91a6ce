/*
 * The first page: a card for each stream of the server, alive. A card that is in sight follows its stream loosely, at a MAL
 * by which clients pull; who then opens the stream finds it read already.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type CatalogStream, catalog, loadCatalog } from './catalog.ts';
import { age, compactNumber } from './format.ts';
import { termLabel } from './labels.ts';
import { BUCKET_MS, BUCKETS, type LiveStream, streamAt } from './live-stream.ts';
import { baseUrl, settings, streamHref } from './route.ts';
import { Sparkline } from './sparkline.tsx';
import { frequentPaths } from './table-view.tsx';
import { UseIt } from './use-it.tsx';
import { useTick } from './use-tick.ts';

/** Loosely: a card is a glance. */
const CARD_MAL_SECONDS = 20;
const LOOK_MS = 1000;
const LIMIT_DOTS = 3000;

export function CatalogPage() {
  const [search, setSearch] = useState('');
  const found = catalog.value;
  if (found === undefined) return <p class="empty">The catalogue is being read…</p>;
  if (found instanceof Error) {
    return (
      <div class="notice bad" role="alert">
        <p>The catalogue cannot be read: {found.message}</p>
        <button type="button" onClick={() => void loadCatalog(baseUrl)}>
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
          {found.streams.length === 1 ? 'One live stream' : `${found.streams.length} live streams`}
          {found.publisher && `, published by: ${found.publisher}`}. Say how old an update may be, and the page finds
          the cheapest way to keep to it: asked for, or sent as it happens. Open one and try.
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
          <Card key={stream.name} entry={stream} search={setSearch} />
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
            { name: 'Publish a feed of your own', text: 'npx ldes-live init' },
            { name: 'Follow a stream', text: `npx ldes-live follow ${streamHref(first.name)} --mal 10` },
            { name: 'This catalogue as data (DCAT), by curl', text: `curl -H 'Accept: text/turtle' ${baseUrl}` },
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

function Card({ entry, search }: { readonly entry: CatalogStream; readonly search: (text: string) => void }) {
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
          <dt>updates of the last 5 minutes</dt>
          <dd>
            <Sparkline
              isBars
              values={updatesPerBucket(stream)}
              label="Updates in the last five minutes, by ten seconds"
            />
          </dd>
        </div>
      </dl>
      {status?.source?.state === 'failing' && <p class="notice bad">Its source fails: the data are getting older.</p>}
      {stream.failure.value && <p class="notice bad">{stream.failure.value.message}</p>}
      <p class="tags">
        {keywords.map((keyword) => (
          <button type="button" class="tag" key={keyword} onClick={() => search(keyword)}>
            {keyword}
          </button>
        ))}
        {licence && /^https?:/.test(licence) && (
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

function updatesPerBucket({ updates }: LiveStream): number[] {
  const newest = Math.floor(Date.now() / BUCKET_MS);
  return Array.from({ length: BUCKETS }, (_, index) => updates.get(newest - BUCKETS + 1 + index) ?? 0);
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
