// Which documents a check reads, and in which other ways it asks for some of them: the only part that asks the server.
//
//   the given URL -> way to the root (an overview leads on once) -> nodes, from both ends by turns, up to `pages`
//     -> probes of three samples (the root, the first immutable node, the first other that changes) and of push endpoints
//     -> Evidence; what is missing because the client had to stop is left out

import { dcat, EVENT_STREAM_MEDIA_TYPE, type Format, formats, parseLinks, tree } from '@ldes-live/rdf-stream';
import {
  addTo,
  type CheckedDocument,
  type CheckedNode,
  type CheckedRelation,
  checkedDocument,
  type Evidence,
  type Probe,
  type StreamFacts,
  streamFacts,
  treeNode,
  withoutFragment,
} from './evidence.ts';
import type { PoliteClient, Question } from './http.ts';

interface SurveyOptions {
  readonly client: PoliteClient;
  /** Called before a document is read. */
  readonly onProgress: (doing: string) => void;
}

/** Any of the formats, the lines first, since they keep the order of the statements. */
const READ_HEADERS = {
  accept:
    'application/n-quads, application/trig;q=0.9, text/turtle;q=0.8, application/n-triples;q=0.7, application/ld+json;q=0.6',
  'accept-encoding': 'gzip',
} as const;
/** How many redirects in a row are followed. */
const MAX_REDIRECTS = 10;

/** Gathers what the rules judge, from the IRI of the stream, the root, or an overview on. */
export async function survey(iri: string, options: SurveyOptions): Promise<Evidence> {
  const { refusals } = options.client;
  const way = await findWay(iri, options);
  const { document, streams: [name] = [] } = way.at(-1) ?? {};
  if (document === undefined || name === undefined) {
    return { way, nodes: [], knownNodes: 0, probes: [], push: [], refusals };
  }
  const stream = streamFacts(document, name);
  const probes: Probe[] = [];
  const ask = async (kind: Probe['kind'], about: CheckedNode, headers: Question['headers'] = {}) => {
    const url = kind === 'unknown' ? unknownBeside(about.url) : about.url;
    const answer = await readUrl(options.client, url, headers, kind === 'head' ? 'HEAD' : 'GET');
    if (answer) probes.push({ kind, about, answer });
    return answer;
  };
  /** The root, the first immutable node, and the first below the root that changes. */
  const samples = new Map<string, CheckedNode>();
  const onNode = async (node: CheckedNode) => {
    const kind = node.from === undefined ? 'root' : String(node.isMutable);
    if (node.problem !== undefined || samples.has(kind)) return;
    samples.set(kind, node);
    const { etag } = node.fields;
    if (etag === undefined) return;
    // At once: later there may be another entity tag.
    const answer = await ask('conditional', node, { 'if-none-match': etag });
    const newer = answer?.fields.etag;
    if (answer?.status !== 200 || newer === undefined || newer === etag) return;
    // It changed meanwhile, which says nothing; a second change would be bad luck.
    probes.pop();
    await ask('conditional', node, { 'if-none-match': newer });
  };
  const { nodes, knownNodes } = await readNodes(document, stream, options, onNode);
  for (const node of samples.values()) {
    options.onProgress(`asking in other ways for ${node.url}`);
    for (const [kind, headers] of questionsOf(node)) await ask(kind, node, headers);
    const offered = probes.find(({ kind, about, answer }) => kind === 'format' && about === node && isOffered(answer));
    if (node.from !== undefined || node.format === undefined || offered === undefined) continue;
    await ask('weights', node, { accept: `${formats[node.format].mediaType};q=0.1, ${offered.answer.sent.accept}` });
  }
  for (const node of samples.values()) await ask('again', node);
  const push = await probePush(document, options);
  return { way, stream, nodes, knownNodes, probes, push, refusals };
}

/** In which other ways a node is asked for; the root in every one, since the nodes below it are much like it. */
function questionsOf({ format: own, from }: CheckedNode): (readonly [Probe['kind'], Question['headers']?])[] {
  const others = (Object.keys(formats) as Format[]).filter((format) => format !== own);
  const inOthers = others.map((format) => ['format', { accept: formats[format].mediaType }] as const);
  const plain = ['encoding', { 'accept-encoding': 'identity' }] as const;
  if (from !== undefined) return [...inOthers.slice(0, 1), plain];
  const compressed = ['encoding', { 'accept-encoding': 'br' }] as const;
  return [
    ['head'],
    ...inOthers,
    plain,
    compressed,
    ['cross-origin', { origin: 'https://reader.example' }],
    ['unknown'],
  ];
}

function isOffered({ format, sent }: CheckedDocument): boolean {
  return format !== undefined && sent.accept === formats[format].mediaType;
}

function unknownBeside(url: string): string {
  const unknown = new URL(url);
  unknown.search = '';
  unknown.pathname = `${unknown.pathname.replace(/\/$/, '')}/no-such-document-of-ldes-live-check`;
  return unknown.href;
}

async function findWay(iri: string, { client, onProgress }: SurveyOptions): Promise<Evidence['way']> {
  const way: Evidence['way'][number][] = [];
  let next: string | undefined = iri;
  // An overview, and where it leads.
  while (next !== undefined && way.length < 2) {
    const url = withoutFragment(next);
    if (url === undefined) break;
    onProgress(`reading ${url}`);
    const document = await readUrl(client, url);
    if (document === undefined) break;
    const step: Evidence['way'][number] = { document, ...entranceOf(document, next) };
    way.push(step);
    next = step.leadsTo.length === 1 ? step.leadsTo[0] : undefined;
  }
  return way;
}

function entranceOf({ quads, url, requestedUrl }: CheckedDocument, iri: string) {
  const views = quads.filter(({ predicate }) => predicate.value === tree.view);
  const streamsOf = (root: string) => {
    const own = views.filter(({ object }) => withoutFragment(object.value) === root);
    return [...new Set(own.map(({ subject }) => subject.value))];
  };
  const own = streamsOf(url);
  const streams = own.length > 0 ? own : streamsOf(requestedUrl);
  const asked = views.filter(({ subject }) => subject.value === iri).slice(0, 1);
  const offered = (asked.length > 0 ? asked : views).map(({ object }) => object.value);
  const leadsTo = streams.length > 0 ? [] : [...new Set(offered)];
  return { streams, isMoved: own.length === 0 && streams.length > 0, leadsTo };
}

async function readNodes(
  root: CheckedDocument,
  stream: StreamFacts,
  { client, onProgress }: SurveyOptions,
  onNode: (node: CheckedNode) => Promise<void>,
) {
  const { pages } = client.limits;
  const nodes: CheckedNode[] = [];
  const known = new Set([root.url]);
  const frontier: { readonly url: string; readonly from: CheckedNode['from'] }[] = [];
  const take = async (document: CheckedDocument, from?: CheckedNode['from']) => {
    const node = treeNode(document, stream, from);
    nodes.push(node);
    const targets = new Map<string, CheckedRelation[]>();
    for (const relation of node.relations) if (relation.target) addTo(targets, relation.target, relation);
    for (const [url, relations] of targets) {
      if (known.has(url)) continue;
      known.add(url);
      frontier.push({ url, from: { node, relations } });
    }
    await onNode(node);
  };
  await take(root);
  // From both ends by turns, so that old and new ones are seen.
  for (let turn = 0; nodes.length < pages; turn += 1) {
    const next = turn % 2 === 0 ? frontier.pop() : frontier.shift();
    if (next === undefined) break;
    onProgress(`page ${nodes.length + 1} of ${Math.min(pages, known.size)}: ${next.url}`);
    const document = await readUrl(client, next.url);
    if (document === undefined) break;
    await take(document, next.from);
  }
  return { nodes, knownNodes: known.size };
}

/*
 * Follows redirects; `undefined` when the client may not ask any more. What leads to no URL of HTTP, or on and on, is the
 * document, with its status as the problem.
 */
async function readUrl(
  client: PoliteClient,
  url: string,
  headers: Question['headers'] = {},
  method: Question['method'] = 'GET',
): Promise<CheckedDocument | undefined> {
  let target = url;
  for (let redirects = 0; ; redirects += 1) {
    const exchange = await client.ask(target, { method, headers: { ...READ_HEADERS, ...headers } });
    if (exchange === undefined) return undefined;
    const { location } = exchange.fields;
    const isRedirect = [301, 302, 303, 307, 308].includes(exchange.status) && redirects < MAX_REDIRECTS;
    const next = isRedirect && location !== undefined ? withoutFragment(location, exchange.url) : undefined;
    if (next === undefined) {
      const document = await checkedDocument(url, exchange, client.limits.documentQuads);
      client.countQuads(document.quads.length);
      return document;
    }
    target = next;
  }
}

async function probePush(root: CheckedDocument, { client, onProgress }: SurveyOptions): Promise<Evidence['push']> {
  const probes: Evidence['push'][number][] = [];
  for (const [url, statedBy] of pushEndpoints(root)) {
    onProgress(`listening to ${url}`);
    const headers = { accept: EVENT_STREAM_MEDIA_TYPE, 'accept-encoding': 'identity' };
    const exchange = await client.ask(url, { headers, firstByteOnly: true });
    if (exchange) probes.push({ ...exchange, statedBy });
  }
  return probes;
}

// By a `Link` of type text/event-stream, or as the endpoint of a dcat:DataService that names this media type.
function pushEndpoints({ fields, quads, url }: CheckedDocument): Map<string, string> {
  const endpoints = new Map<string, string>();
  const add = (reference: string, statedBy: string) => {
    const endpoint = withoutFragment(reference, url);
    if (endpoint !== undefined) endpoints.set(endpoint, statedBy);
  };
  for (const { target, parameters } of parseLinks(fields.link ?? '', url)) {
    if (parameters.type?.toLowerCase().startsWith(EVENT_STREAM_MEDIA_TYPE)) add(target, 'the Link field');
  }
  const types = quads.filter(({ object }) => object.value.toLowerCase().endsWith(EVENT_STREAM_MEDIA_TYPE));
  const services = new Set(types.map(({ subject }) => subject.value));
  for (const { subject, predicate, object } of quads) {
    const isStated = predicate.value === dcat.endpointURL && services.has(subject.value);
    if (isStated) add(object.value, 'dcat:endpointURL');
  }
  return endpoints;
}
