import { EVENT_STREAM_MEDIA_TYPE } from '@ldes-live/rdf-stream';
import type { PoliteClient } from '../http/polite-client.ts';
import { type CheckedDocument, isMutable } from './checked-document.ts';
import type { Evidence, Probe, PushProbe } from './evidence.ts';
import { findRoot } from './find-root.ts';
import { probeAgain, probeConditional, probeNode, probeRoot, READ_HEADERS } from './probe-document.ts';
import { pushEndpoints } from './push-endpoints.ts';
import { readUrl } from './read-url.ts';
import { type StreamFacts, streamFacts } from './stream-facts.ts';
import { type CheckedNode, type CheckedRelation, targetOf, treeNode, withoutFragment } from './tree-node.ts';

/** What a survey is told to do, and whom it tells how far it is. */
export interface SurveyOptions {
  readonly client: PoliteClient;
  /** The most nodes to read. */
  readonly pages: number;
  readonly onProgress: (doing: string) => void;
}

/**
 * Gathers what the rules judge: the way to the root, its nodes up to a limit, and how some of them answer other
 * questions. What is missing because the client had to stop is left out.
 *
 * @param iri - of the stream, the root, or an overview
 */
export async function survey(iri: string, options: SurveyOptions): Promise<Evidence> {
  const { client } = options;
  const way = await findWay(iri, options);
  const last = way.at(-1);
  const streams = last && 'streams' in last.entrance ? last.entrance.streams : [];
  const [stream] = streams;
  if (last === undefined || stream === undefined) {
    return { iri, way, nodes: [], knownNodes: 0, probes: [], push: [], refusals: client.refusals };
  }
  const facts = streamFacts(last.document, stream);
  const walk = new Walk(facts, options);
  await walk.run(last.document);
  const probes = [...walk.probes, ...(await probeAll(walk, options))];
  const push = await probePush(last.document, options);
  const { nodes, knownNodes } = walk;
  return { iri, way, stream: facts, nodes, knownNodes, probes, push, refusals: client.refusals };
}

async function findWay(iri: string, { client, onProgress }: SurveyOptions): Promise<Evidence['way']> {
  const way: Evidence['way'][number][] = [];
  let next: string | undefined = iri;
  // An overview, and where it leads.
  while (next !== undefined && way.length < 2) {
    const url = withoutFragment(next);
    if (url === undefined) break;
    onProgress(`reading ${url}`);
    const document = await readUrl(client, url, READ_HEADERS);
    if (document === undefined) break;
    const entrance = findRoot(document, next);
    way.push({ document, entrance });
    next = entrance.kind === 'leads' ? entrance.to : undefined;
  }
  return way;
}

/** The reading of the nodes, from both ends by turns, so that old and new ones are seen. */
class Walk {
  readonly nodes: CheckedNode[] = [];
  readonly probes: Probe[] = [];
  /** The root, the first immutable node, and the first below the root that changes. */
  readonly samples = new Map<'root' | 'immutable' | 'mutable', CheckedDocument>();
  readonly #stream: StreamFacts;
  readonly #options: SurveyOptions;
  readonly #known = new Set<string>();
  readonly #frontier: { readonly url: string; readonly from: NonNullable<CheckedNode['from']> }[] = [];

  constructor(stream: StreamFacts, options: SurveyOptions) {
    this.#stream = stream;
    this.#options = options;
  }

  get knownNodes(): number {
    return this.#known.size;
  }

  async run(root: CheckedDocument): Promise<void> {
    const { client, pages, onProgress } = this.#options;
    this.#known.add(root.url);
    await this.#take(root);
    for (let turn = 0; this.nodes.length < pages; turn += 1) {
      const next = turn % 2 === 0 ? this.#frontier.pop() : this.#frontier.shift();
      if (next === undefined) break;
      onProgress(`page ${this.nodes.length + 1} of ${Math.min(pages, this.knownNodes)}: ${next.url}`);
      const document = await readUrl(client, next.url, READ_HEADERS);
      if (document === undefined) break;
      await this.#take(document, next.from);
    }
  }

  async #take(document: CheckedDocument, from?: CheckedNode['from']): Promise<void> {
    const node = treeNode(document, this.#stream.iri, from);
    this.nodes.push(node);
    for (const [url, relations] of byTarget(node.relations)) {
      if (this.#known.has(url)) continue;
      this.#known.add(url);
      this.#frontier.push({ url, from: { node, relations } });
    }
    if (document.problem !== undefined) return;
    const kind = from === undefined ? 'root' : isMutable(document) ? 'mutable' : 'immutable';
    if (this.samples.has(kind)) return;
    this.samples.set(kind, document);
    const probe = await probeConditional(this.#options.client, document);
    if (probe) this.probes.push(probe);
  }
}

function byTarget(relations: readonly CheckedRelation[]): Map<string, CheckedRelation[]> {
  const targets = new Map<string, CheckedRelation[]>();
  for (const relation of relations) {
    const url = targetOf(relation);
    const same = url === undefined ? undefined : targets.get(url);
    if (same) same.push(relation);
    else if (url !== undefined) targets.set(url, [relation]);
  }
  return targets;
}

async function probeAll({ samples }: Walk, { client, onProgress }: SurveyOptions): Promise<Probe[]> {
  const probes: Probe[] = [];
  for (const [kind, document] of samples) {
    onProgress(`asking in other ways for ${document.url}`);
    const asked = kind === 'root' ? probeRoot(client, document) : probeNode(client, document);
    for await (const probe of asked) if (probe) probes.push(probe);
  }
  for (const document of samples.values()) {
    const probe = await probeAgain(client, document);
    if (probe) probes.push(probe);
  }
  return probes;
}

async function probePush(root: CheckedDocument, { client, onProgress }: SurveyOptions): Promise<PushProbe[]> {
  const probes: PushProbe[] = [];
  for (const { url, statedBy } of pushEndpoints(root)) {
    onProgress(`listening to ${url}`);
    const headers = { accept: EVENT_STREAM_MEDIA_TYPE, 'accept-encoding': 'identity' };
    const exchange = await client.ask(url, { headers, firstByteOnly: true });
    if (exchange) probes.push({ statedBy, exchange });
  }
  return probes;
}
