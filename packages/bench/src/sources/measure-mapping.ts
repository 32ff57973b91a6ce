import { compileMapping } from '@ldes-live/sources';
import jsonld from 'jsonld';
import type { Setting } from '../setting.ts';
import { type Spread, spread } from '../spread.ts';
import type { MappingSize } from './sources-plan.ts';
import { STATION_CONTEXT, STATION_MAPPING, type StationsDocument, stations } from './stations.ts';

/** How long the same document takes either way, milliseconds. */
export interface MappingResult {
  /** What both make of it. */
  readonly quads: number;
  readonly mapping: Spread;
  readonly toRdf: Spread;
  /** How many times as long as the mapping the other takes, pair by pair. */
  readonly ratio: Spread;
}

// Its types offer callbacks, and know no plain values.
const toRdf = jsonld.toRDF as unknown as (document: object) => Promise<readonly unknown[]>;

/** The first rounds are slower: what is compared is a server that runs. */
const WARM_UP = 5;
/** Documents in a row: each way runs as it does where nothing else goes on. */
const ROW = 10;

/** Compares the mapping of documents with expanding them by a JSON-LD context to quads, in turns. */
export async function measureMapping(
  { stations: count, repeats }: MappingSize,
  { onProgress }: Setting,
): Promise<MappingResult> {
  const publicUrl = 'http://localhost:3000/';
  const compiled = compileMapping(STATION_MAPPING, { publicUrl, streamUrl: `${publicUrl}stations` });
  const byMapping = async (document: StationsDocument) => {
    const { entities } = await compiled.map({ document });
    // A poll asks for all fingerprints, and for the quads of what changed: here of all.
    return entities.reduce((sum, entity) => sum + (entity.fingerprint === '' ? 0 : entity.quads().length), 0);
  };
  const byJsonLd = async (document: StationsDocument) =>
    (await toRdf({ '@context': STATION_CONTEXT, '@graph': document.stations })).length;
  const pairs: { readonly mapping: Timed; readonly toRdf: Timed }[] = [];
  for (let round = -WARM_UP; round < repeats; round += 1) {
    // Other ones each time: nothing that was remembered of the last may help.
    const documents = Array.from({ length: ROW }, (_, index) => stations(count, round * ROW + index));
    const pair = { mapping: await timed(documents, byMapping), toRdf: await timed(documents, byJsonLd) };
    const quads = [pair.mapping.quads, pair.toRdf.quads];
    if (quads[0] !== quads[1]) throw new Error(`${quads[0]} quads by one, ${quads[1]} by the other`);
    if (round >= 0) pairs.push(pair);
  }
  const result = {
    quads: pairs[0]?.mapping.quads ?? 0,
    mapping: spread(pairs.map(({ mapping }) => mapping.durationMs)),
    toRdf: spread(pairs.map((pair) => pair.toRdf.durationMs)),
    ratio: spread(pairs.map((pair) => pair.toRdf.durationMs / pair.mapping.durationMs)),
  };
  onProgress(`mapping: ${result.ratio.median.toFixed(1)} times as fast`, 1);
  return result;
}

/** What one of a row of documents took, and came to. */
interface Timed {
  readonly durationMs: number;
  readonly quads: number;
}

async function timed(
  documents: readonly StationsDocument[],
  work: (document: StationsDocument) => Promise<number>,
): Promise<Timed> {
  const startMs = performance.now();
  let quads = 0;
  for (const document of documents) quads += await work(document);
  return { durationMs: (performance.now() - startMs) / documents.length, quads: quads / documents.length };
}
