import {
  compileMapping,
  type DocumentReading,
  loadPreset,
  type MappedProperty,
  readDocument,
} from '@ldes-live/sources';

/** How well a preset fits a sample. */
export interface PresetFit {
  readonly preset: string;
  readonly records: number;
  /** How many of the records became something. */
  readonly mapped: number;
  /** Fields of the sample that it does not know. */
  readonly unmapped: readonly string[];
  /** The share of what it can say that it said of the sample, 0 to 1. */
  readonly said: number;
  /** Whether the entities are of the type that it is made for; absent where it is made for none. */
  readonly isOfType?: boolean;
  /** The other documents that it takes values from, by name. */
  readonly lookups: readonly string[];
}

/** Where a sample would be published: of no meaning here. */
const PLACE = { publicUrl: 'http://localhost/', streamUrl: 'http://localhost/sample' };
const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** Entities of NGSI-LD say what they are: nearly every one of their attributes can be missing. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  'ngsi-ld-parking': ['OffStreetParking', 'OnStreetParking'],
  'ngsi-ld-parking-spot': ['ParkingSpot'],
};

/**
 * What a preset makes of a sample.
 *
 * @returns `undefined` where it cannot be applied to it
 */
export async function presetFit(
  preset: string,
  bytes: Uint8Array,
  { format = 'json' }: DocumentReading,
): Promise<PresetFit | undefined> {
  const { mapping } = loadPreset(preset);
  try {
    const compiled = compileMapping({ ...mapping, reads: { ...mapping.reads, format } }, PLACE);
    const document = readDocument(bytes, compiled.reading);
    const mapped = await compiled.map({ document });
    const said = new Set(mapped.entities.flatMap((entity) => entity.quads().map(({ predicate }) => predicate.value)));
    said.delete(RDF_TYPE);
    const types = TYPES[preset];
    return {
      preset,
      records: mapped.records,
      mapped: mapped.entities.length,
      unmapped: await mapped.unmapped(),
      said: Math.min(1, said.size / new Set(predicates(mapping.properties)).size),
      ...(types && { isOfType: areOfType(document, types) }),
      lookups: Object.keys(mapping.lookups ?? {}),
    };
  } catch {
    // Of a document of another form it fails in one way or another, which says no more than that it does not fit.
    return undefined;
  }
}

function areOfType(document: unknown, types: readonly string[]): boolean {
  const entities = (Array.isArray(document) ? document : [document]) as readonly { readonly type?: unknown }[];
  return entities.length > 0 && entities.every((entity) => types.includes(String(entity?.type)));
}

/** What can be said by properties, those of nodes too; classes are no evidence. */
function predicates(properties: readonly MappedProperty[]): string[] {
  return properties
    .flatMap(({ predicate, node }) => [predicate, ...(node ? predicates(node.properties) : [])])
    .filter((predicate) => predicate !== 'rdf:type');
}
