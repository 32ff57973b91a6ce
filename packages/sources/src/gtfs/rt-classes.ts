import type { MessageName } from './messages.ts';

/** The messages that are written field by field, each field as a property of its own name. */
export const genericMessages = [
  'Shape',
  'Stop',
  'TripModifications',
  'SelectedTrips',
  'Modification',
  'ReplacementStop',
  'StopSelector',
] as const satisfies readonly MessageName[];

/**
 * The own classes, by local name, with the message that each stands for: only those that no existing
 * vocabulary has.
 */
export const rtClasses: Readonly<Record<string, MessageName>> = {
  Carriage: 'CarriageDetails',
  Image: 'LocalizedImage',
  ModifiedTrip: 'ModifiedTripSelector',
  TripProperties: 'TripProperties',
  ...Object.fromEntries(genericMessages.map((name) => [name, name])),
};
