/* The catalogue in DCAT: what is published here, so that portals and readers find it.
 *   P             a dcat:Catalog of the streams, with the publisher that all of them share
 *   S#stream      each stream as a dcat:Dataset (and as an ldes:EventStream and a vocals:RDFStream)
 *   S#view        each entry point of a stream as a dcat:Distribution; so S/latest#view, S/tiles#view
 *   S#pull S#push the ways in which a stream is delivered, each a dcat:DataService; S#sparql where it takes queries */
import type { Schedule } from '@ldes-live/latency';
import {
  type Contact,
  dcat,
  dct,
  foaf,
  formats,
  languageLiteral,
  ldes,
  literal,
  namedNode,
  type Publisher,
  quad,
  rdf,
  retentionQuads,
  type SourceState,
  type StreamDescription,
  sd,
  skos,
  streamQuads,
  streamSummaryQuads,
  tree,
  vcard,
  vocals,
} from '@ldes-live/rdf-stream';
import type { Quad, Quad_Object } from '@rdfjs/types';
import { descriptionDocument } from './descriptions.ts';
import { type EntryPoint, type StreamDocument, streamUrls, type View, type ViewedStream, viewIri } from './document.ts';
import { streamSummary } from './pages.ts';

export interface CatalogStream extends ViewedStream {
  readonly views: readonly View[];
  /** Whether its sources work; `undefined` where it has none. */
  readonly sourceState?: () => SourceState | undefined;
}

type Statement = readonly [predicate: string, object: Quad_Object];

const SPECIFICATIONS = ['https://w3id.org/ldes/specification', 'https://w3id.org/tree/specification'] as const;

const SERVER_SENT_EVENTS = 'https://html.spec.whatwg.org/multipage/server-sent-events.html';

const SPARQL_PROTOCOL = 'http://www.w3.org/TR/sparql11-protocol/';

/** JSON-LD in the registry of IANA, and in the authority table of file types of the EU. */
const MEDIA_TYPE = `https://www.iana.org/assignments/media-types/${formats.jsonld.mediaType}`;
const FILE_TYPE = 'http://publications.europa.eu/resource/authority/file-type/JSON_LD';

const SPECS = 'https://github.com/ldes-live/ldes-live/blob/main/specs/';

/** Equal streams on equal schedules give equal quads. @see https://www.w3.org/TR/vocab-dcat-3/ */
function catalogQuads(publicUrl: string, streams: readonly CatalogStream[]): Quad[] {
  const quads = describedQuads(publicUrl, streams);
  // Not everybody who checks a catalogue looks up what it names elsewhere.
  const classes = new Map(
    quads.flatMap(({ predicate, object }) => {
      const range = RANGES[predicate.value];
      return range === undefined ? [] : [[object.value, range] as const];
    }),
  );
  // Of a concept DCAT-AP asks for a label too: the end of its IRI is all that is known of it here.
  const labelled = (iri: string): Statement[] => [[skos.prefLabel, literal(/[^/#]*.?$/.exec(iri)?.[0] ?? iri)]];
  return [
    ...quads,
    ...[...classes].flatMap(([iri, range]) =>
      statements(iri, [...eachIri(rdf.type, [range]), ...(range === skos.Concept ? labelled(iri) : [])]),
    ),
  ];
}

/** The class of what properties lead to, in DCAT-AP. */
const RANGES: Readonly<Record<string, string>> = {
  [dcat.mediaType]: dct.MediaType,
  [dcat.theme]: skos.Concept,
  [dct.accrualPeriodicity]: dct.Frequency,
  [dct.conformsTo]: dct.Standard,
  [dct.format]: dct.MediaTypeOrExtent,
  [dct.license]: dct.LicenseDocument,
  [dct.spatial]: dct.Location,
  [dct.type]: skos.Concept,
};

function describedQuads(publicUrl: string, streams: readonly CatalogStream[]): Quad[] {
  const descriptions = streams.map(({ description }) => description);
  const publishers = publishersOf(publicUrl, descriptions);
  return [
    ...statements(publicUrl, [
      ...eachIri(rdf.type, [dcat.Catalog, vocals.StreamDescriptor]),
      [dct.title, literal(`Live streams at ${publicUrl}`)],
      [dct.description, languageLiteral('Linked Data Event Streams, as documents and as Server-Sent Events.', 'en')],
      // Each stream has its own; the whole has a publisher where that is one.
      ...eachIri(dct.publisher, publishers.size === 1 ? [...publishers.keys()] : []),
      ...streams.flatMap((stream): Statement[] => [
        [dcat.dataset, namedNode(stream.description.iri)],
        ...eachIri(dcat.service, serviceIris(stream)),
      ]),
    ]),
    ...[...publishers].flatMap(([iri, { name }]) =>
      statements(iri, [...eachIri(rdf.type, [foaf.Agent]), [foaf.name, literal(name)]]),
    ),
    ...streams.flatMap((stream) => [
      ...datasetQuads(stream),
      ...entryPoints(stream).flatMap((entry) => distributionQuads(stream, entry)),
      ...serviceQuads(stream),
    ]),
  ];
}

/**
 * The catalogue: each stream as a dataset, with its entry points as distributions and its ways of delivery as services.
 *
 * @param streams - those that are published, as of the call
 * @see specs/documents.md DOC-15, DOC-50 to DOC-53
 */
export function catalogDocument(publicUrl: string, streams: () => readonly CatalogStream[]): StreamDocument {
  // All that changes of it while the streams are the same.
  const version = (stream: CatalogStream) => [accrualPeriodicity(stream.schedule()), streamSummary(stream)];
  return descriptionDocument(
    publicUrl,
    () => catalogQuads(publicUrl, streams()),
    () => JSON.stringify(streams().map((stream) => [stream.description, version(stream)])),
  );
}

export function entryPoints({ views }: Pick<CatalogStream, 'views'>): EntryPoint[] {
  return views.flatMap(({ entry }) => entry ?? []);
}

function publishersOf(publicUrl: string, descriptions: readonly StreamDescription[]): ReadonlyMap<string, Publisher> {
  const publishers = descriptions.flatMap(({ about }) => about.publisher ?? []);
  return new Map(publishers.map((publisher) => [publisherIri(publicUrl, publisher), publisher]));
}

/** The IRI of a publisher; one who has none gets one in the catalogue, the same for all streams. */
function publisherIri(publicUrl: string, { name, iri }: Publisher): string {
  return iri ?? `${publicUrl}#publisher-${encodeURIComponent(name)}`;
}

/** A stream as a dataset; what the root says of it too, it says in the same words. */
function datasetQuads(stream: CatalogStream): Quad[] {
  const { description } = stream;
  const { about, publicUrl } = description;
  const entries = entryPoints(stream).map(({ url }) => url);
  return [
    ...streamQuads(description, description.url),
    ...streamSummaryQuads(description, streamSummary(stream)),
    ...statements(description.iri, [
      ...eachIri(
        tree.view,
        entries.filter((url) => url !== description.url),
      ),
      ...eachIri(rdf.type, [dcat.Dataset, vocals.RDFStream]),
      // Where a catalogue holds other datasets too, this tells a reader what it is.
      ...eachIri(dct.type, [ldes.EventStream]),
      ...eachIri(dct.conformsTo, SPECIFICATIONS),
      // DCAT-AP asks for one.
      [dct.description, literal(about.description ?? description.title)],
      ...eachIri(dct.publisher, about.publisher ? [publisherIri(publicUrl, about.publisher)] : []),
      ...eachIri(dct.license, about.licence === undefined ? [] : [about.licence]),
      ...eachIri(dcat.theme, about.themes ?? []),
      ...eachIri(dct.spatial, about.places ?? []),
      ...eachIri(dcat.contactPoint, about.contact ? [contactIri(description)] : []),
      ...(about.keywords ?? []).map((keyword): Statement => [dcat.keyword, literal(keyword)]),
      ...eachIri(dct.accrualPeriodicity, [accrualPeriodicity(stream.schedule())]),
      ...eachIri(dcat.distribution, entries.map(viewIri)),
      ...eachIri(vocals.hasEndpoint, [pushIri(description)]),
    ]),
    ...(about.contact ? contactQuads(contactIri(description), about.contact) : []),
  ];
}

function contactIri({ url }: StreamDescription): string {
  return `${url}#contact`;
}

function contactQuads(iri: string, { name, email, url }: Contact): Quad[] {
  return statements(iri, [
    ...eachIri(rdf.type, [vcard.Kind]),
    [vcard.fn, literal(name)],
    ...eachIri(vcard.hasEmail, email === undefined ? [] : [`mailto:${email}`]),
    ...eachIri(vcard.hasURL, url === undefined ? [] : [url]),
  ]);
}

function distributionQuads(stream: CatalogStream, { url, title, retention }: EntryPoint): Quad[] {
  const view = viewIri(url);
  const { licence } = stream.description.about;
  return [
    ...statements(view, [
      ...eachIri(rdf.type, [dcat.Distribution, ldes.EventSource]),
      [dct.title, languageLiteral(title, 'en')],
      ...eachIri(dcat.accessURL, [url]),
      ...eachIri(dcat.downloadURL, [url]),
      // One, as DCAT-AP has it: what is sent to whoever asks for none.
      ...eachIri(dcat.mediaType, [MEDIA_TYPE]),
      ...eachIri(dct.format, [FILE_TYPE]),
      ...eachIri(dcat.accessService, serviceIris(stream)),
      ...eachIri(dct.license, licence === undefined ? [] : [licence]),
    ]),
    ...(retention ? retentionQuads(view, `${url}#retention`, retention) : []),
  ];
}

function serviceQuads({ description, sparqlEndpoint }: CatalogStream): Quad[] {
  const urls = streamUrls(description);
  const served = eachIri(dcat.servesDataset, [description.iri]);
  return [
    ...statements(pullIri(description), [
      ...eachIri(rdf.type, [dcat.DataService]),
      [dct.title, languageLiteral(`${description.title}: documents`, 'en')],
      ...eachIri(dcat.endpointURL, [urls.root]),
      ...eachIri(dcat.endpointDescription, [`${SPECS}documents.md`]),
      ...eachIri(dct.conformsTo, SPECIFICATIONS),
      ...served,
    ]),
    ...statements(pushIri(description), [
      ...eachIri(rdf.type, [dcat.DataService, vocals.StreamEndpoint]),
      [dct.title, languageLiteral(`${description.title}: Server-Sent Events`, 'en')],
      ...eachIri(dcat.endpointURL, [urls.events]),
      // What VoCaLS has for the same.
      ...eachIri(dcat.accessURL, [urls.events]),
      ...eachIri(dct.format, [FILE_TYPE]),
      ...eachIri(dcat.endpointDescription, [`${SPECS}push.md`]),
      ...eachIri(dct.conformsTo, [SERVER_SENT_EVENTS]),
      ...served,
    ]),
    ...(sparqlEndpoint === undefined
      ? []
      : statements(sparqlIri(description), [
          ...eachIri(rdf.type, [dcat.DataService, sd.Service]),
          [dct.title, languageLiteral(`${description.title}: SPARQL`, 'en')],
          ...eachIri(dcat.endpointURL, [sparqlEndpoint]),
          ...eachIri(sd.endpoint, [sparqlEndpoint]),
          // A GET without a query is answered by its description.
          ...eachIri(dcat.endpointDescription, [sparqlEndpoint]),
          ...eachIri(dct.conformsTo, [SPARQL_PROTOCOL]),
          ...served,
        ])),
  ];
}

function serviceIris({ description, sparqlEndpoint }: CatalogStream): string[] {
  const delivered = [pullIri(description), pushIri(description)];
  return sparqlEndpoint === undefined ? delivered : [...delivered, sparqlIri(description)];
}

function pullIri({ url }: StreamDescription): string {
  return `${url}#pull`;
}

function pushIri({ url }: StreamDescription): string {
  return `${url}#push`;
}

function sparqlIri({ url }: StreamDescription): string {
  return `${url}#sparql`;
}

const FREQUENCIES = 'http://publications.europa.eu/resource/authority/frequency/';

const MINUTE_MS = 60_000;

const REGULAR_MINUTES: Readonly<Record<string, number>> = {
  '1MIN': 1,
  '5MIN': 5,
  '10MIN': 10,
  '15MIN': 15,
  '30MIN': 30,
  HOURLY: 60,
  BIHOURLY: 120,
  TRIHOURLY: 180,
  '12HRS': 720,
  DAILY: 1440,
  WEEKLY: 10_080,
};

// How far a learned interval may be off, of the interval.
const TOLERANCE = 0.1;

/**
 * How often a stream is updated, as an IRI of the table: the frequency that its interval is, give or take a tenth; else
 * `CONT` up to an hour and `OTHER` beyond; `IRREG` where there is no interval.
 *
 * @see specs/documents.md DOC-51
 */
function accrualPeriodicity(schedule: Schedule): string {
  if (schedule.kind === 'unknown') return `${FREQUENCIES}IRREG`;
  const { intervalMs } = schedule;
  const isRegular = (ms: number) => Math.abs(intervalMs - ms) <= TOLERANCE * ms;
  const regular = Object.entries(REGULAR_MINUTES).find(([, minutes]) => isRegular(minutes * MINUTE_MS));
  return `${FREQUENCIES}${regular?.[0] ?? (intervalMs < 60 * MINUTE_MS ? 'CONT' : 'OTHER')}`;
}

function statements(subject: string, said: readonly Statement[]): Quad[] {
  const about = namedNode(subject);
  return said.map(([predicate, object]) => quad(about, namedNode(predicate), object));
}

function eachIri(predicate: string, iris: readonly string[]): Statement[] {
  return iris.map((iri) => [predicate, namedNode(iri)]);
}
