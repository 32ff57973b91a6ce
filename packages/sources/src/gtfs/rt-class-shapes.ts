import { type PropertyShape, rdf, xsd } from '@ldes-live/rdf-stream';
import { enums } from './generated/gtfs-realtime.ts';
import type { EnumName } from './messages.ts';
import { conceptName } from './rt-concepts.ts';
import { type RtRange, rtProperties } from './rt-properties.ts';
import { dcat, dct, foaf, geo, grt, gtfs, rdfs, routeTypes, schema, sosa, wgs } from './standard-terms.ts';

/** What is written of the nodes of one class. */
export interface ClassShape {
  /** IRIs of the classes that such a node is said to be of. */
  readonly types: readonly string[];
  readonly properties: readonly PropertyShape[];
}

/** The names that shapes are made with: the own terms, and the shapes themselves. */
export interface ShapeNames {
  /** IRI of an own term, by its local name. */
  readonly term: (name: string) => string;
  /** IRI of a shape, by its local name. */
  readonly shape: (name: string) => string;
}

type OwnName = keyof typeof rtProperties;
type Values = Omit<PropertyShape, 'path' | 'minCount' | 'maxCount'>;

/** The values of a property by what they are; of concepts and nodes there is more to say. */
export const valuesOfRange: Readonly<Record<RtRange, Values>> = {
  string: { datatypes: [xsd.string] },
  text: { datatypes: [xsd.string, rdf.langString] },
  integer: { datatypes: [xsd.integer] },
  decimal: { datatypes: [xsd.decimal] },
  dateTime: { datatypes: [xsd.dateTime] },
  duration: { datatypes: [xsd.duration] },
  resource: { nodeKindIri: true },
  concept: { nodeKindIri: true },
  node: {},
};

/** The values of an enumeration. */
export function valuesOfEnum(values: EnumName, { term }: ShapeNames): Values {
  return { in: Object.keys(enums[values]).map((value) => term(conceptName(values, value))) };
}

/**
 * The shapes of what vehicle positions, trip updates and alerts are written as, by local name: each property
 * that can be there, how often, and what its values are.
 *
 * @see specs/gtfs-realtime.md GTFS-16
 */
export function rtClassShapes(names: ShapeNames): Readonly<Record<string, ClassShape>> {
  const { term, shape } = names;
  const ownClass = (name: string) => [term(name)];
  const many = (path: string, values: Values): PropertyShape => ({ path, ...values });
  const optional = (path: string, values: Values): PropertyShape => ({ path, maxCount: 1, ...values });
  const one = (path: string, values: Values): PropertyShape => ({ path, minCount: 1, maxCount: 1, ...values });
  const own = (name: OwnName) => optional(term(name), valuesOfRange[rtProperties[name].range]);
  const texts = (name: OwnName) => many(term(name), valuesOfRange.text);
  const number = (name: OwnName) => optional(term(name), { ...valuesOfRange.integer, minInclusive: 0 });
  const concept = (name: OwnName, values: EnumName) => optional(term(name), valuesOfEnum(values, names));
  const { resource, string, text, decimal, dateTime } = valuesOfRange;

  const modifiedTrip = optional(term('modifiedTrip'), { node: shape('ModifiedTrip') });
  const trip = [
    optional(gtfs.trip.value, resource),
    optional(gtfs.route.value, resource),
    own('tripInstance'),
    number('directionId'),
    own('startDate'),
    own('startTime'),
    concept('scheduleRelationship', 'TripScheduleRelationship'),
    modifiedTrip,
  ];
  const vehicle = [own('licensePlate'), concept('wheelchairAccessible', 'WheelchairAccessible')];
  const occupancyStatus = concept('occupancyStatus', 'OccupancyStatus');
  const resultTime = optional(sosa.resultTime.value, dateTime);

  return {
    Vehicle: {
      types: [schema.Vehicle.value],
      properties: [
        resultTime,
        optional(dct.identifier.value, string),
        optional(rdfs.label.value, string),
        ...vehicle,
        ...trip,
        own('currentStop'),
        number('currentStopSequence'),
        concept('currentStatus', 'VehicleStopStatus'),
        optional(wgs.lat.value, decimal),
        optional(wgs.long.value, decimal),
        optional(geo.hasGeometry.value, { node: shape('Geometry') }),
        own('bearing'),
        own('odometer'),
        own('speed'),
        concept('congestionLevel', 'CongestionLevel'),
        occupancyStatus,
        number('occupancyPercentage'),
        many(term('carriage'), { node: shape('Carriage') }),
      ],
    },
    TripUpdate: {
      types: [grt.TripUpdate.value],
      properties: [
        resultTime,
        ...trip,
        own('vehicle'),
        own('vehicleLabel'),
        ...vehicle,
        own('delay'),
        optional(term('tripProperties'), { node: shape('TripProperties') }),
        many(term('stopTimeUpdate'), { node: shape('StopTimeUpdate') }),
      ],
    },
    Alert: {
      types: [grt.Alert.value],
      properties: [
        concept('cause', 'Cause'),
        concept('effect', 'Effect'),
        concept('severityLevel', 'SeverityLevel'),
        many(dct.temporal.value, { node: shape('Period') }),
        many(term('communicationPeriod'), { node: shape('Period') }),
        many(term('impactPeriod'), { node: shape('Period') }),
        many(term('informedEntity'), { node: shape('EntitySelector') }),
        many(dct.subject.value, resource),
        many(foaf.page.value, resource),
        many(dct.title.value, text),
        many(dct.description.value, text),
        texts('ttsHeaderText'),
        texts('ttsDescriptionText'),
        texts('causeDetail'),
        texts('effectDetail'),
        many(term('image'), { node: shape('Image') }),
        texts('imageAlternativeText'),
      ],
    },
    Geometry: {
      types: [geo.Geometry.value],
      properties: [
        one(geo.asWKT.value, { datatypes: [geo.wktLiteral.value], pattern: '^POINT \\(-?[0-9.]+ -?[0-9.]+\\)$' }),
      ],
    },
    Carriage: {
      types: ownClass('Carriage'),
      properties: [
        optional(dct.identifier.value, string),
        optional(rdfs.label.value, string),
        number('carriageSequence'),
        occupancyStatus,
        // Of a carriage it is signed: the protocol has -1 for one that says nothing of itself.
        own('occupancyPercentage'),
      ],
    },
    ModifiedTrip: {
      types: ownClass('ModifiedTrip'),
      properties: [own('modificationsId'), own('affectedTrip'), own('startDate'), own('startTime')],
    },
    TripProperties: {
      types: ownClass('TripProperties'),
      properties: [
        optional(gtfs.trip.value, resource),
        own('startDate'),
        own('startTime'),
        optional(gtfs.shape.value, resource),
        optional(gtfs.headsign.value, string),
        optional(gtfs.shortName.value, string),
      ],
    },
    StopTimeUpdate: {
      types: [grt.StopTimeUpdate.value],
      properties: [
        optional(gtfs.stopSequence.value, { ...valuesOfRange.integer, minInclusive: 0 }),
        optional(gtfs.stop.value, resource),
        optional(schema.arrivalTime.value, dateTime),
        optional(schema.departureTime.value, dateTime),
        own('arrivalDelay'),
        own('departureDelay'),
        own('arrivalUncertainty'),
        own('departureUncertainty'),
        own('scheduledArrivalTime'),
        own('scheduledDepartureTime'),
        concept('scheduleRelationship', 'StopTimeScheduleRelationship'),
        concept('departureOccupancyStatus', 'OccupancyStatus'),
        own('assignedStop'),
        optional(gtfs.headsign.value, string),
        optional(gtfs.pickupType.value, valuesOfEnum('DropOffPickupType', names)),
        optional(gtfs.dropOffType.value, valuesOfEnum('DropOffPickupType', names)),
      ],
    },
    Period: {
      types: [dct.PeriodOfTime.value],
      properties: [optional(dcat.startDate.value, dateTime), optional(dcat.endDate.value, dateTime)],
    },
    EntitySelector: {
      types: [grt.EntitySelector.value],
      properties: [
        optional(gtfs.agency.value, resource),
        optional(gtfs.stop.value, resource),
        optional(gtfs.routeType.value, { in: routeTypes.map(({ value }) => value) }),
        own('routeType'),
        ...trip,
      ],
    },
    Image: {
      types: ownClass('Image'),
      properties: [own('imageUrl'), own('mediaType'), optional(dct.language.value, string)],
    },
  };
}
