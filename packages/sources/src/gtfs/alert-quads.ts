import { namedNode } from '@ldes-live/rdf-stream';
import type { NamedNode, Quad } from '@rdfjs/types';
import {
  type DescribedNode,
  describedEntity,
  say,
  sayConcept,
  sayInteger,
  sayLink,
  sayLinks,
  sayNode,
  sayReference,
  sayString,
  sayTexts,
  sayTime,
  sayType,
} from './described-node.ts';
import type { Alert, EntitySelector, LocalizedImage, TimeRange } from './generated/gtfs-realtime.ts';
import { languageTag } from './published-text.ts';
import type { RtMapping } from './rt-mapping.ts';
import { dcat, dct, foaf, grt, gtfs, routeTypes } from './standard-terms.ts';
import { sayTrip, tripInstance } from './trip-quads.ts';

/**
 * What an alert says, as RDF.
 *
 * @see specs/gtfs-realtime.md GTFS-16
 */
export function alertQuads(entity: string, said: Alert, mapping: RtMapping): Quad[] {
  const node = describedEntity(entity, mapping);
  const { term } = mapping;
  sayType(node, grt.Alert);
  sayConcept(node, term('cause'), 'Cause', said.cause);
  sayConcept(node, term('effect'), 'Effect', said.effect);
  sayConcept(node, term('severityLevel'), 'SeverityLevel', said.severity_level);
  sayPeriods(node, dct.temporal, said.active_period);
  sayPeriods(node, term('communicationPeriod'), said.communication_period);
  sayPeriods(node, term('impactPeriod'), said.impact_period);
  saySelectors(node, said.informed_entity ?? []);
  sayLinks(node, foaf.page, said.url);
  sayTexts(node, dct.title, said.header_text);
  sayTexts(node, dct.description, said.description_text);
  sayTexts(node, term('ttsHeaderText'), said.tts_header_text);
  sayTexts(node, term('ttsDescriptionText'), said.tts_description_text);
  sayTexts(node, term('causeDetail'), said.cause_detail);
  sayTexts(node, term('effectDetail'), said.effect_detail);
  for (const image of said.image?.localized_image ?? []) sayImage(node, image);
  sayTexts(node, term('imageAlternativeText'), said.image_alternative_text);
  return node.quads;
}

function sayPeriods(node: DescribedNode, predicate: NamedNode, periods: readonly TimeRange[] = []): void {
  for (const { start, end } of periods) {
    const period = sayNode(node, predicate, dct.PeriodOfTime);
    sayTime(period, dcat.startDate, start);
    sayTime(period, dcat.endDate, end);
  }
}

function saySelectors(node: DescribedNode, selectors: readonly EntitySelector[]): void {
  for (const selector of selectors) saySelector(node, selector);
  // A set: several selectors may well name one thing.
  const subjects = new Set(selectors.map((selector) => soleSubject(node, selector)));
  for (const subject of subjects) if (subject !== undefined) say(node, dct.subject, namedNode(subject));
}

function saySelector(node: DescribedNode, said: EntitySelector): void {
  const { term } = node.mapping;
  const selector = sayNode(node, term('informedEntity'), grt.EntitySelector);
  sayReference(selector, gtfs.agency, 'agency', said.agency_id);
  sayReference(selector, gtfs.stop, 'stop', said.stop_id);
  sayRouteType(selector, said.route_type);
  // What the selector itself says wins: twice the same would be one too many, and two routes would hold together.
  const route_id = said.route_id || said.trip?.route_id;
  const { direction_id = said.trip?.direction_id } = said;
  sayTrip(selector, {
    ...said.trip,
    ...(route_id === undefined ? {} : { route_id }),
    ...(direction_id === undefined ? {} : { direction_id }),
  });
}

function sayRouteType(selector: DescribedNode, routeType: number | undefined): void {
  const known = routeType === undefined ? undefined : routeTypes[routeType];
  if (known) say(selector, gtfs.routeType, known);
  else sayInteger(selector, selector.mapping.term('routeType'), routeType);
}

/** The IRI of what a selector names, if it has one key only and that names a thing. */
function soleSubject(node: DescribedNode, said: EntitySelector): string | undefined {
  const { iris } = node.mapping;
  if (Object.values(said).filter((value) => value !== '').length !== 1) return undefined;
  if (said.agency_id) return iris.reference('agency', said.agency_id);
  if (said.route_id) return iris.reference('route', said.route_id);
  if (said.stop_id) return iris.reference('stop', said.stop_id);
  if (!said.trip?.trip_id) return undefined;
  return tripInstance(node, said.trip) ?? iris.reference('trip', said.trip.trip_id);
}

function sayImage(node: DescribedNode, said: LocalizedImage): void {
  const { term } = node.mapping;
  const image = sayNode(node, term('image'), term('Image'));
  sayLink(image, term('imageUrl'), said.url);
  sayString(image, term('mediaType'), said.media_type);
  if (said.language !== undefined) sayString(image, dct.language, languageTag(said.language));
}
