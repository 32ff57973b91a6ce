import { dcat, dct, parseCursor, parseQuads, tree } from '@ldes-live/rdf-stream';
import type { Quad } from '../support/read-tree.ts';
import { exchange } from './http-exchange.ts';

/**
 * What stands at the server under test, by the names that cases know it by. Absent where it has no such thing.
 *
 * - `base`, `context`: the public URL, ending in `/`; where the JSON-LD context of the server's own terms stands
 * - `root`, `latest`, `events`, `pages`: of one stream; `sealed`, `next`, `open`: a sealed page that is not the last, the
 *   page after it, the open one; `range`: an open range
 * - `tail`, `newest`: the tail after the newest cursor, and the one that holds the newest member
 * - `entity`, `asked`: the IRI of one, as it stands and as the value of a query parameter
 * - `epoch`, `head`: the life of the log, its newest cursor; `before`, `within`, `end`: cursors of the sealed page
 */
export type Target = Readonly<Record<string, string | undefined>>;

/**
 * Finds a stream with a sealed page through the catalogue of a server; one without, where there is no such.
 *
 * @param base - public URL of the server, ending in `/`
 */
export async function discover(base: string): Promise<Target> {
  const catalog = await read(base);
  const streams = catalog.filter(({ predicate }) => predicate.value === dcat.dataset).map(({ object }) => object.value);
  if (streams.length === 0) throw new Error(`the catalogue at ${base} names no stream`);
  const { headers } = await exchange(`${base}ns/live/context.jsonld`, 'GET', {});
  const common = { base, ...(headers.location && { context: headers.location }) };
  let found: Target = {};
  for (const stream of streams) {
    found = { ...common, ...(await discoverStream(stream.replace(/#.*$/, ''))) };
    if (found.sealed) break;
  }
  return found;
}

/** A text with what it names put in; `undefined` where the server has no such thing. */
export function fill(text: string, values: Readonly<Record<string, string | undefined>>): string | undefined {
  let isWhole = true;
  const filled = text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) isWhole = false;
    return value ?? '';
  });
  return isWhole ? filled : undefined;
}

/** The names in a text that there is nothing to put in for, once each. */
export function namesLacking(text: string, values: Readonly<Record<string, string | undefined>>): string[] {
  const names = [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  return [...new Set(names)].filter((name) => values[name] === undefined);
}

async function discoverStream(root: string): Promise<Target> {
  const { headers } = await exchange(root, 'GET', { accept: 'application/n-quads' });
  const link = (rel: string) => new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers.link ?? '')?.[1] as string;
  const [latest, pages, events] = [link('current'), link('archives'), link('alternate')];
  const state = await exchange(latest, 'GET', { accept: 'application/n-quads' });
  const head = state.headers['ldes-cursor'] as string;
  const { epoch, sequence } = parseCursor(head);
  const tail = /<([^>]+)>; rel="monitor"/.exec(state.headers.link ?? '')?.[1];
  const newest = sequence > 0 ? tail?.replace(/\d+$/, String(sequence - 1)) : undefined;
  const tails = { ...(tail && { tail }), ...(newest && { newest }) };
  const entity = (await parseQuads(state.content.toString(), 'nquads', latest)).find(
    ({ predicate }) => predicate.value === dct.isVersionOf,
  )?.object.value;
  const ranges = (await read(root)).filter(isLink).map(({ object }) => object.value);
  const range = ranges.at(-1) as string;
  const nodes = [];
  for (const each of ranges.slice(-2))
    nodes.push(...(await read(each)).filter(isLink).map(({ object }) => object.value));
  const open = nodes.at(-1) as string;
  const named = entity === undefined ? {} : { entity, asked: encodeURIComponent(entity) };
  const common = { root, latest, events, pages, open, range, epoch, head, ...named, ...tails };
  const sealed = nodes.filter((node) => node !== open).at(-1);
  if (sealed === undefined) return common;
  const answer = await exchange(sealed, 'GET', { accept: 'application/n-quads' });
  const end = answer.headers['ldes-cursor'] as string;
  const last = parseCursor(end).sequence;
  return {
    ...common,
    sealed,
    next: /<([^>]+)>; rel="next"/.exec(answer.headers.link ?? '')?.[1] as string,
    before: `${epoch}-${last - 250}`,
    within: `${epoch}-${last - 1}`,
    end,
  };
}

function isLink({ predicate }: Quad): boolean {
  return predicate.value === tree.node;
}

async function read(url: string): Promise<Quad[]> {
  const { content, status } = await exchange(url, 'GET', { accept: 'application/n-quads' });
  if (status !== 200) throw new Error(`${url} answers ${status}`);
  return parseQuads(content.toString(), 'nquads', url);
}
