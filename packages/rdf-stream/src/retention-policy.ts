/**
 * Which members a stream promises to keep. Absent parts promise nothing of their own.
 *
 * A member stays while it is not before `startingFrom` and either is younger than `fullLogMs`, or is one of the
 * newest `versionAmount` of its entity, younger than `versionMs`, and, if it is a delete, younger than
 * `versionDeleteMs`. A policy without `fullLogMs` and `versionAmount` keeps everything that is not before
 * `startingFrom` and is no delete as old as `versionDeleteMs`, whatever `versionMs` says.
 *
 * @see https://w3id.org/ldes/specification#retention
 */
export interface RetentionPolicy {
  /** Nothing published before this is kept (`ldes:startingFrom`): xsd:dateTime with a timezone. */
  readonly startingFrom?: string;
  /** Everything is kept so long after its publication (`ldes:fullLogDuration`): milliseconds, above 0. */
  readonly fullLogMs?: number;
  /** So many of the newest versions of each entity are kept (`ldes:versionAmount`): an integer, 1 or more. */
  readonly versionAmount?: number;
  /** For how long those versions count (`ldes:versionDuration`): milliseconds, above 0; for ever when absent. */
  readonly versionMs?: number;
  /** For how long deletes are kept (`ldes:versionDeleteDuration`): milliseconds, 0 or more; as versions are when absent. */
  readonly versionDeleteMs?: number;
}
