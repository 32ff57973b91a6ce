import type { Publisher } from '@ldes-live/rdf-stream';
import { type CatalogStream, entryPoints } from './catalog.ts';
import { streamUrls } from './document.ts';

/** The catalogue for people. @see specs/documents.md DOC-15, DOC-57 */
export function catalogPage(publicUrl: string, streams: readonly CatalogStream[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Live streams at ${escapeHtml(publicUrl)}</title>
<style>${STYLE}</style>
<h1>Live streams</h1>
<p>Each stream is a <a href="https://w3id.org/ldes/specification">Linked Data Event Stream</a>, as documents and as
Server-Sent Events.</p>
${streams.map(streamHtml).join('\n')}
<p>Follow one:</p>
<pre><code>npx ldes-live follow ${escapeHtml(streams[0]?.description.url ?? `${publicUrl}stream`)} --mal 10</code></pre>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dd { margin: 0; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; }
pre { overflow-x: auto; }
`;

function streamHtml(stream: CatalogStream): string {
  const { description, log } = stream;
  const { about } = description;
  const facts: (readonly [name: string, html: string | undefined])[] = [
    ['Living entities', String(log.latest.size)],
    ['Members so far', String(log.head.cursor.sequence)],
    ['Updated', updatesHtml(stream)],
    ['Sources', sourcesText(stream)],
    ['Publisher', about.publisher && publisherHtml(about.publisher)],
    ['Licence', about.licence && linkHtml(about.licence, about.licence)],
    ['Keywords', about.keywords?.length ? escapeHtml(about.keywords.join(', ')) : undefined],
  ];
  const links: (readonly [url: string, title: string])[] = [
    ...entryPoints(stream).map(({ url, title }) => [url, title] as const),
    [streamUrls(description).events, 'Server-Sent Events'],
    [streamUrls(description).shape, 'Shape of the members'],
  ];
  return `<article>
<h2>${linkHtml(description.url, description.title)}</h2>
${about.description === undefined ? '' : `<p>${escapeHtml(about.description)}</p>\n`}<dl>
${facts.flatMap(([name, html]) => (html === undefined ? [] : [`<dt>${name}</dt><dd>${html}</dd>`])).join('\n')}
</dl>
<nav>${links.map(([url, title]) => linkHtml(url, title)).join('\n')}</nav>
</article>`;
}

function sourcesText({ sourceState }: CatalogStream): string | undefined {
  const state = sourceState?.();
  if (state?.kind !== 'failing') return state && 'working';
  return `failing since ${new Date(state.sinceMs).toISOString()}: what is shown may be out of date`;
}

function updatesHtml({ schedule }: CatalogStream): string {
  const now = schedule();
  return now.kind === 'interval' ? `about every ${durationText(now.intervalMs)}` : 'at any moment';
}

function durationText(ms: number): string {
  const [unit, name] = UNITS.find(([minMs]) => ms >= minMs) ?? (UNITS.at(-1) as (typeof UNITS)[number]);
  const count = Number((ms / unit).toPrecision(2));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
] as const;

function publisherHtml({ name, iri }: Publisher): string {
  return iri === undefined ? escapeHtml(name) : linkHtml(iri, name);
}

// An IRI comes from the configuration: what is no web address must not become something to click on.
function linkHtml(iri: string, text: string): string {
  return /^https?:\/\//.test(iri) ? `<a href="${escapeHtml(iri)}">${escapeHtml(text)}</a>` : escapeHtml(text);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
