import { type Format, formats } from '@ldes-live/rdf-stream';
import type { PoliteClient } from '../http/polite-client.ts';
import type { CheckedDocument } from './checked-document.ts';
import type { Probe, ProbeKind } from './evidence.ts';
import { readUrl } from './read-url.ts';

/** What a document is read with: any of the formats, the lines first, since they keep the order of the statements. */
export const READ_HEADERS = {
  accept:
    'application/n-quads, application/trig;q=0.9, text/turtle;q=0.8, application/n-triples;q=0.7, application/ld+json;q=0.6',
  'accept-encoding': 'gzip',
} as const;

/** Asks once more with the entity tag of a document, at once: later there may be another. */
export async function probeConditional(client: PoliteClient, about: CheckedDocument): Promise<Probe | undefined> {
  const etag = about.exchange.fields.etag;
  if (etag === undefined) return undefined;
  const probe = await ask(client, 'conditional', about, { 'if-none-match': etag });
  const newer = probe?.answer.exchange.fields.etag;
  const hasChanged = probe?.answer.exchange.status === 200 && newer !== undefined && newer !== etag;
  // It changed meanwhile, which says nothing; a second change would be bad luck.
  return hasChanged ? await ask(client, 'conditional', about, { 'if-none-match': newer }) : probe;
}

/** The formats that a document is not in. */
function otherFormats(about: CheckedDocument): string[] {
  const other = (Object.keys(formats) as Format[]).filter((format) => format !== about.format);
  return other.map((format) => formats[format].mediaType);
}

/** Everything that is asked about the root, its sub-nodes being much like it. */
export async function* probeRoot(client: PoliteClient, about: CheckedDocument): AsyncGenerator<Probe | undefined> {
  yield await ask(client, 'head', about, {});
  let other: string | undefined;
  for (const accept of otherFormats(about)) {
    const probe = await ask(client, 'format', about, { accept });
    const { format } = probe?.answer ?? {};
    if (format !== undefined && formats[format].mediaType === accept) other ??= accept;
    yield probe;
  }
  if (other !== undefined && about.format !== undefined) {
    const accept = `${formats[about.format].mediaType};q=0.1, ${other}`;
    yield await ask(client, 'weights', about, { accept });
  }
  yield await ask(client, 'encoding', about, { 'accept-encoding': 'identity' });
  yield await ask(client, 'encoding', about, { 'accept-encoding': 'br' });
  yield await ask(client, 'cross-origin', about, { origin: 'https://reader.example' });
  yield await ask(client, 'unknown', about, {}, unknownBeside(about.url));
}

/** What is asked about a node below the root. */
export async function* probeNode(client: PoliteClient, about: CheckedDocument): AsyncGenerator<Probe | undefined> {
  const [accept = ''] = otherFormats(about);
  yield await ask(client, 'format', about, { accept });
  yield await ask(client, 'encoding', about, { 'accept-encoding': 'identity' });
}

/** Asks for a document once more as it was. */
export function probeAgain(client: PoliteClient, about: CheckedDocument): Promise<Probe | undefined> {
  return ask(client, 'again', about, {});
}

async function ask(
  client: PoliteClient,
  kind: ProbeKind,
  about: CheckedDocument,
  headers: Readonly<Record<string, string>>,
  url = about.url,
): Promise<Probe | undefined> {
  const method = kind === 'head' ? 'HEAD' : 'GET';
  const answer = await readUrl(client, url, { ...READ_HEADERS, ...headers }, method);
  return answer && { kind, about, answer };
}

function unknownBeside(url: string): string {
  const unknown = new URL(url);
  unknown.search = '';
  unknown.pathname = `${unknown.pathname.replace(/\/$/, '')}/no-such-document-of-ldes-live-check`;
  return unknown.href;
}
