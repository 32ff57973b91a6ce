import { alertRules } from './alert-rules.ts';
import { entityRules } from './entity-rules.ts';
import { headerRules } from './header-rules.ts';
import { pairingRules } from './pairing-rules.ts';
import { positionRules } from './position-rules.ts';
import type { Rule } from './rule.ts';
import { stopTimeRules } from './stop-time-rules.ts';
import { timeRules } from './time-rules.ts';
import { tripRules } from './trip-rules.ts';

/**
 * The rules that need no timetable: those of the public validator, by its ids, and some of our own.
 *
 * @see specs/gtfs-realtime.md GTFS-50
 */
export const rules: readonly Rule[] = [
  ...timeRules,
  ...headerRules,
  ...tripRules,
  ...stopTimeRules,
  ...positionRules,
  ...alertRules,
  ...entityRules,
  ...pairingRules,
].sort((one, other) => (one.id < other.id ? -1 : 1));
