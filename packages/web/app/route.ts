/*
 * Where a person is, as the URL of the page says it. What chooses a document for the server is the path; what chooses a
 * view of it is the fragment, which no server and no cache ever sees.
 *
 *   /                                     { page: 'catalog' }
 *   /status                               { page: 'status' }
 *   /vehicles#chart                       { page: 'stream', url: 'http://h/vehicles', name: 'vehicles', view: 'chart', ... }
 *   /vehicles#entity?iri=http://h/e/1     the same with view 'entity' and parameters { iri }
 *   /view?url=https://x.org/ldes#table    { page: 'stream', isForeign: true, url: 'https://x.org/ldes', ... }
 */
import { signal } from '@preact/signals';

const VIEWS = ['map', 'table', 'chart', 'ask', 'entity'] as const;
export type ViewName = (typeof VIEWS)[number];

export interface StreamRoute {
  readonly page: 'stream';
  readonly url: string;
  /** Its name at this server, or the URL of a foreign one. */
  readonly name: string;
  readonly isForeign: boolean;
  /** Absent where none was asked for: what suits the data is shown. */
  readonly view: ViewName | undefined;
  readonly parameters: URLSearchParams;
}

export type Route = { readonly page: 'catalog' } | { readonly page: 'status' } | StreamRoute;

/** What the server tells the page; see the options of `webPages`. */
export interface PageSettings {
  readonly style?: string;
  readonly foreign?: boolean;
}

/** The folder of the server's streams: pages of streams lie beside each other in it. */
export const baseUrl = new URL('.', location.href).href;

const DOCUMENTS: ReadonlySet<string> = new Set(['health', 'id', 'metrics', 'ns', 'web']);

export const settings: PageSettings = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name="ldes-live"]')?.content || '{}',
);

function routeOf(href: string, base: string): Route {
  const url = new URL(href);
  const [word, ...rest] = url.hash.slice(1).split('?');
  const view = VIEWS.find((name) => name === word);
  const parameters = new URLSearchParams(rest.join('?'));
  const name = url.pathname.slice(new URL(base).pathname.length);
  if (name === '') return { page: 'catalog' };
  if (name === 'status') return { page: 'status' };
  if (name === 'view') {
    const foreign = url.searchParams.get('url') ?? '';
    if (!/^https?:/i.test(foreign) || !URL.canParse(foreign)) return { page: 'catalog' };
    const { href } = new URL(foreign);
    return { page: 'stream', url: href, name: href, isForeign: true, view, parameters };
  }
  return { page: 'stream', url: new URL(name, base).href, name, isForeign: false, view, parameters };
}

export const route = signal<Route>(routeOf(location.href, baseUrl));

export function viewHref(view: ViewName, parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#${view}${query && `?${query}`}`;
}

export function streamHref(name: string): string {
  return new URL(name, baseUrl).href;
}

/** Changes what the fragment says without a step of its own in the history of the browser. */
export function replaceView(view: ViewName, parameters: Readonly<Record<string, string>>): void {
  history.replaceState(undefined, '', viewHref(view, parameters));
  read();
}

function read(): void {
  route.value = routeOf(location.href, baseUrl);
}

/** Follows links within the page without loading it anew: what is followed already goes on. */
export function listenToLinks(): void {
  addEventListener('popstate', read);
  addEventListener('hashchange', read);
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest?.('a');
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.defaultPrevented;
    if (!link || !isPlain || link.target || link.hasAttribute('download')) return;
    // Pages alone: what else lies at this server is a document, which the browser opens.
    const [name] = link.href.slice(baseUrl.length).split(/[?#]/, 1) as [string];
    if (!link.href.startsWith(baseUrl) || !/^(?:[a-z0-9][a-z0-9-]*)?$/.test(name) || DOCUMENTS.has(name)) return;
    event.preventDefault();
    const isOtherPage = link.pathname !== location.pathname || link.search !== location.search;
    history.pushState(undefined, '', link.href);
    if (isOtherPage) scrollTo(0, 0);
    read();
  });
}
