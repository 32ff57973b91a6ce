/* The catalogue in DCAT: what is published here, so that portals and readers find it.
 *   P             a dcat:Catalog of the streams, with the publisher that all of them share
 *   S#stream      each stream as a dcat:Dataset (and as an ldes:EventStream and a vocals:RDFStream)
 *   S#view        each entry point of a stream as a dcat:Distribution; so S/latest#view, S/tiles#view
 *   S#pull S#push the ways in which a stream is delivered, each a dcat:DataService; S#sparql where it takes queries */
import type { Schedule } from '@ldes-live/latency';
import {
  dcat,
  dct,
  foaf,
  formats,
  languageLiteral,
  ldes,
  literal,
  type Publisher,
  rdf,
  retentionQuads,
  sd,
  skos,
  streamQuads,
  streamSummaryQuads,
  tree,
  vcard,
  vocals,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { describe, descriptionDocument } from './descriptions.ts';
import { type EntryPoint, type StreamDocument, streamUrls, type View, type ViewedStream, viewIri } from './document.ts';
import { streamSummary } from './pages.ts';

export interface CatalogStream extends ViewedStream {
  readonly views: readonly View[];
}

const SPECIFICATIONS = ['https://w3id.org/ldes/specification', 'https://w3id.org/tree/specification'] as const;

/** JSON-LD in the registry of IANA, and in the authority table of file types of the EU. */
const MEDIA_TYPE = `https://www.iana.org/assignments/media-types/${formats.jsonld.mediaType}`;
const FILE_TYPE = 'http://publications.europa.eu/resource/authority/file-type/JSON_LD';

const SPECS = 'https://github.com/ldes-live/ldes-live/blob/main/specs/';

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

/**
 * The catalogue: each stream as a dataset, with its entry points as distributions and its ways of delivery as services.
 *
 * @param streams - those that are published, as of the call
 * @see specs/documents.md DOC-15
 */
export function catalogDocument(publicUrl: string, streams: () => readonly CatalogStream[]): StreamDocument {
  return descriptionDocument(
    publicUrl,
    () => catalogQuads(publicUrl, streams()),
    // All that changes of it while the streams are the same.
    () => JSON.stringify(streams().map((stream) => [stream.description, streamSummary(stream)])),
  );
}

export function entryPoints({ views }: Pick<CatalogStream, 'views'>): EntryPoint[] {
  return views.flatMap(({ entry }) => entry ?? []);
}

/** Equal streams on equal schedules give equal quads. @see https://www.w3.org/TR/vocab-dcat-3/ */
function catalogQuads(publicUrl: string, streams: readonly CatalogStream[]): Quad[] {
  const known = streams.flatMap(({ description: { about } }) => about.publisher ?? []);
  const publishers = new Map(known.map((publisher) => [publisherIri(publicUrl, publisher), publisher.name]));
  const quads = [
    ...describe(publicUrl, {
      [rdf.type]: [dcat.Catalog, vocals.StreamDescriptor],
      [dct.title]: literal(`Live streams at ${publicUrl}`),
      [dct.description]: languageLiteral('Linked Data Event Streams, as documents and as Server-Sent Events.', 'en'),
      // Each stream has its own; the whole has a publisher where that is one.
      [dct.publisher]: publishers.size === 1 ? [...publishers.keys()] : [],
    }),
    ...streams.flatMap((stream) =>
      describe(publicUrl, {
        [dcat.dataset]: stream.description.iri,
        [dcat.service]: servicesOf(stream).map(({ iri }) => iri),
      }),
    ),
    ...[...publishers].flatMap(([iri, name]) => describe(iri, { [rdf.type]: foaf.Agent, [foaf.name]: literal(name) })),
    ...streams.flatMap((stream) => [
      ...datasetQuads(stream),
      ...entryPoints(stream).flatMap((entry) => distributionQuads(stream, entry)),
      ...serviceQuads(stream),
    ]),
  ];
  // Not everybody who checks a catalogue looks up what it names elsewhere.
  const classes = new Map(
    quads.flatMap(({ predicate, object }) => {
      const range = RANGES[predicate.value];
      return range === undefined ? [] : [[object.value, range] as const];
    }),
  );
  // Of a concept DCAT-AP asks for a label too: the end of its IRI is all that is known of it here.
  const labelOf = (iri: string) => literal(iri.split(/(?<=[/#])(?!$)/).at(-1) as string);
  return [
    ...quads,
    ...[...classes].flatMap(([iri, range]) =>
      describe(iri, { [rdf.type]: range, [skos.prefLabel]: range === skos.Concept ? labelOf(iri) : undefined }),
    ),
  ];
}

/** The IRI of a publisher; one who has none gets one in the catalogue, the same for all streams. */
function publisherIri(publicUrl: string, { name, iri }: Publisher): string {
  return iri ?? `${publicUrl}#publisher-${encodeURIComponent(name)}`;
}

/** A stream as a dataset; what the root says of it too, it says in the same words. */
function datasetQuads(stream: CatalogStream): Quad[] {
  const { description } = stream;
  const { about, publicUrl, url } = description;
  const { contact } = about;
  const contactIri = `${url}#contact`;
  const entries = entryPoints(stream).map((entry) => entry.url);
  return [
    ...streamQuads(description, url),
    ...streamSummaryQuads(description, streamSummary(stream)),
    ...describe(description.iri, {
      [tree.view]: entries.filter((entry) => entry !== url),
      [rdf.type]: [dcat.Dataset, vocals.RDFStream],
      // Where a catalogue holds other datasets too, this tells a reader what it is.
      [dct.type]: ldes.EventStream,
      [dct.conformsTo]: SPECIFICATIONS,
      // DCAT-AP asks for one.
      [dct.description]: literal(about.description ?? description.title),
      [dct.publisher]: about.publisher && publisherIri(publicUrl, about.publisher),
      [dct.license]: about.licence,
      [dcat.theme]: about.themes,
      [dct.spatial]: about.places,
      [dcat.contactPoint]: contact && contactIri,
      [dcat.keyword]: about.keywords?.map((keyword) => literal(keyword)),
      [dct.accrualPeriodicity]: accrualPeriodicity(stream.schedule()),
      [dcat.distribution]: entries.map(viewIri),
      [vocals.hasEndpoint]: pushIri(url),
    }),
    ...(contact
      ? describe(contactIri, {
          [rdf.type]: vcard.Kind,
          [vcard.fn]: literal(contact.name),
          [vcard.hasEmail]: contact.email && `mailto:${contact.email}`,
          [vcard.hasURL]: contact.url,
        })
      : []),
  ];
}

function distributionQuads(stream: CatalogStream, { url, title, retention }: EntryPoint): Quad[] {
  const view = viewIri(url);
  return [
    ...describe(view, {
      [rdf.type]: [dcat.Distribution, ldes.EventSource],
      [dct.title]: languageLiteral(title, 'en'),
      [dcat.accessURL]: url,
      [dcat.downloadURL]: url,
      // One, as DCAT-AP has it: what is sent to whoever asks for none.
      [dcat.mediaType]: MEDIA_TYPE,
      [dct.format]: FILE_TYPE,
      [dcat.accessService]: servicesOf(stream).map(({ iri }) => iri),
      [dct.license]: stream.description.about.licence,
    }),
    ...(retention ? retentionQuads(view, `${url}#retention`, retention) : []),
  ];
}

function pushIri(url: string): string {
  return `${url}#push`;
}

/** The ways in which a stream is delivered. */
function servicesOf({ description, sparqlEndpoint }: CatalogStream) {
  const { url } = description;
  const { root, events } = streamUrls(description);
  const services = [
    {
      iri: `${url}#pull`,
      name: 'documents',
      endpoint: root,
      stated: `${SPECS}documents.md`,
      standards: SPECIFICATIONS,
    },
    {
      iri: pushIri(url),
      name: 'Server-Sent Events',
      endpoint: events,
      type: vocals.StreamEndpoint,
      // What VoCaLS has for the same.
      further: { [dcat.accessURL]: events, [dct.format]: FILE_TYPE },
      stated: `${SPECS}push.md`,
      standards: 'https://html.spec.whatwg.org/multipage/server-sent-events.html',
    },
  ];
  if (sparqlEndpoint === undefined) return services;
  const sparql = {
    iri: `${url}#sparql`,
    name: 'SPARQL',
    endpoint: sparqlEndpoint,
    type: sd.Service,
    further: { [sd.endpoint]: sparqlEndpoint },
    // A GET without a query is answered by its description.
    stated: sparqlEndpoint,
    standards: 'http://www.w3.org/TR/sparql11-protocol/',
  };
  return [...services, sparql];
}

function serviceQuads(stream: CatalogStream): Quad[] {
  const { iri: dataset, title } = stream.description;
  return servicesOf(stream).flatMap(({ iri, name, endpoint, type, further, stated, standards }) =>
    describe(iri, {
      [rdf.type]: type ? [dcat.DataService, type] : dcat.DataService,
      [dct.title]: languageLiteral(`${title}: ${name}`, 'en'),
      [dcat.endpointURL]: endpoint,
      ...further,
      [dcat.endpointDescription]: stated,
      [dct.conformsTo]: standards,
      [dcat.servesDataset]: dataset,
    }),
  );
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
 * @see specs/documents.md DOC-15
 */
function accrualPeriodicity(schedule: Schedule): string {
  if (schedule.kind === 'unknown') return `${FREQUENCIES}IRREG`;
  const { intervalMs } = schedule;
  const isRegular = (ms: number) => Math.abs(intervalMs - ms) <= TOLERANCE * ms;
  const regular = Object.entries(REGULAR_MINUTES).find(([, minutes]) => isRegular(minutes * MINUTE_MS));
  return `${FREQUENCIES}${regular?.[0] ?? (intervalMs < 60 * MINUTE_MS ? 'CONT' : 'OTHER')}`;
}
