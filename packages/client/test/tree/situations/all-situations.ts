import { calendarSituations } from './calendars.ts';
import { entrySituations } from './entries.ts';
import { lineSituations } from './lines.ts';
import { memberSituations } from './members.ts';
import type { Situation } from './situation.ts';
import { unusualSituations } from './unusual.ts';

/** Every situation. */
export const allSituations: readonly Situation[] = [
  ...lineSituations,
  ...calendarSituations,
  ...unusualSituations,
  ...memberSituations,
  ...entrySituations,
];
