import { streamUrls } from './documents/stream-urls.ts';
import type { LiveStream } from './live-stream.ts';

/**
 * The catalogue as a page for people: what is published here, how much of it lives, and where.
 */
export function catalogPage(publicUrl: string, streams: readonly LiveStream[]): string {
  const rows = streams.map(({ description, log }) => {
    const urls = streamUrls(description);
    return `<tr><th scope="row"><a href="${escapeHtml(urls.root)}">${escapeHtml(description.title)}</a></th>
<td>${log.latest.size}</td><td>${log.head.cursor.sequence}</td>
<td><a href="${escapeHtml(urls.latest)}">latest</a> <a href="${escapeHtml(urls.events)}">events</a></td></tr>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Live streams at ${escapeHtml(publicUrl)}</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
code { font-size: .9em; }
</style>
<h1>Live streams</h1>
<p>Each stream is a <a href="https://w3id.org/ldes/specification">Linked Data Event Stream</a>, as documents and as
Server-Sent Events.</p>
<table>
<thead><tr><th scope="col">Stream</th><th scope="col">Living entities</th><th scope="col">Members</th><th scope="col">Read</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table>
<p>Follow one: <code>npx ldes-live follow ${escapeHtml(streams[0]?.description.url ?? `${publicUrl}stream`)} --mal 10</code></p>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
