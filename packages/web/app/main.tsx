// The page's frame: a bar with the way to streams and status, and below it what the URL asks for.
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { catalog, loadCatalog } from './catalog.ts';
import { CatalogPage } from './catalog-page.tsx';
import { baseUrl, listenToLinks, route } from './route.ts';
import { StatusPage } from './status-page.tsx';
import { StreamPage } from './stream-page.tsx';

function Page() {
  const here = route.value;
  useEffect(() => {
    document.title = titleOf();
  });
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        Go to the content
      </button>
      <header class="bar">
        <a class="brand" href={baseUrl}>
          <Mark /> ldes-live
        </a>
        <nav aria-label="Pages">
          <a href={baseUrl} aria-current={here.page === 'catalog' ? 'page' : undefined}>
            Streams
          </a>
          <a href={`${baseUrl}status`} aria-current={here.page === 'status' ? 'page' : undefined}>
            Status
          </a>
        </nav>
      </header>
      <main id="content" class="content" tabIndex={-1}>
        {here.page === 'catalog' && <CatalogPage />}
        {here.page === 'status' && <StatusPage />}
        {here.page === 'stream' && <StreamPage key={here.url} {...here} />}
      </main>
    </>
  );
}

/** A dot, and the waves that leave it. */
function Mark() {
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <circle cx="6" cy="18" r="3" fill="currentColor" />
      <path
        d="M6 10a8 8 0 0 1 8 8M6 4a14 14 0 0 1 14 14"
        fill="none"
        stroke="currentColor"
        stroke-width="2.4"
        stroke-linecap="round"
      />
    </svg>
  );
}

function titleOf(): string {
  const here = route.value;
  if (here.page === 'status') return 'Status · ldes-live';
  if (here.page === 'catalog') return 'Live streams · ldes-live';
  const found = catalog.value;
  const entry = found && !(found instanceof Error) ? found.streams.find(({ name }) => name === here.name) : undefined;
  return `${entry?.title ?? here.name} · ldes-live`;
}

listenToLinks();
void loadCatalog(baseUrl);
const place = document.getElementById('page') as HTMLElement;
place.replaceChildren();
render(<Page />, place);
