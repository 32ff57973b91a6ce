import {
  dct,
  live,
  type NodeShape,
  nodeShapeQuads,
  type PropertyShape,
  prefixes,
  prov,
  rdf,
} from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { messages } from './generated/gtfs-realtime.ts';
import type { EnumName, MessageName, WireField } from './messages.ts';
import { type ClassShape, rtClassShapes, type ShapeNames, valuesOfEnum, valuesOfRange } from './rt-class-shapes.ts';
import { genericMessages } from './rt-classes.ts';
import { genericPropertyName, genericRange } from './rt-properties.ts';

/** What members are, one of: the kinds of entities of a feed. */
const KINDS = ['Vehicle', 'TripUpdate', 'Alert', 'Shape', 'Stop', 'TripModifications'] as const;

/** A SHACL shape, and the quads that say it. */
export interface RtShape {
  readonly iri: string;
  readonly quads: readonly Quad[];
}

/**
 * The SHACL shape of what entities of GTFS-Realtime are written as: which properties a member has, how often,
 * and what their values are. Closed: a member that says anything else does not have the shape.
 *
 * @param documentUrl - URL of the document that the shape is served in: where its parts stand
 * @param sequencePath - of the log
 * @see specs/gtfs-realtime.md GTFS-16
 * @see specs/documents.md DOC-55
 */
export function rtShape(documentUrl: string, sequencePath: string = live.sequence): RtShape {
  const names: ShapeNames = {
    term: (name) => prefixes.rt + name,
    shape: (name) => `${documentUrl}#${name}`,
  };
  // What every member says, whatever it is of.
  const ofMembers = [rdf.type, dct.isVersionOf, prov.generatedAtTime, sequencePath];
  const shapes = { ...rtClassShapes(names), ...genericShapes(names) };
  const iri = names.shape('GtfsRealtime');
  const kinds: readonly string[] = KINDS;
  return {
    iri,
    quads: [
      { iri, properties: [], or: kinds.map(names.shape) },
      ...Object.entries(shapes).map(([name, shape]) =>
        closedShape(names.shape(name), shape, kinds.includes(name) ? ofMembers : [rdf.type]),
      ),
    ].flatMap(nodeShapeQuads),
  };
}

function closedShape(iri: string, { types, properties }: ClassShape, ignoredProperties: readonly string[]): NodeShape {
  const type: PropertyShape = { path: rdf.type, maxCount: types.length, hasValue: types };
  return { iri, properties: [type, ...properties], ignoredProperties };
}

/** The shapes of what is written field by field. */
function genericShapes(names: ShapeNames): Record<string, ClassShape> {
  return Object.fromEntries(
    genericMessages.map((name) => {
      const fields = Object.entries<WireField>(messages[name]);
      return [
        name,
        { types: [names.term(name)], properties: fields.map(([field, type]) => genericProperty(field, type, names)) },
      ];
    }),
  );
}

function genericProperty(name: string, field: WireField, names: ShapeNames): PropertyShape {
  const range = genericRange(field);
  const path = names.term(genericPropertyName(name));
  // A text has one value for each language.
  const counted = field.repeated || range === 'text' ? { path } : { path, maxCount: 1 };
  if (field.type === 'enum') return { ...counted, ...valuesOfEnum(field.of as EnumName, names) };
  if (field.type === 'message' && range === 'node') return { ...counted, node: names.shape(field.of as MessageName) };
  return { ...counted, ...valuesOfRange[range] };
}
