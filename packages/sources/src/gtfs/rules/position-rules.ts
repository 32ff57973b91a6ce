import type { Position, VehiclePosition } from '../feed-entities.ts';
import { once, type Rule, type RuleChecks } from './rule.ts';

/** The speed beyond which one is not believed, metres per second. */
const LIMIT_SPEED = 26;

/** A check of where a vehicle is, where that is said. */
const ofPositions = (check: (position: Position) => number): RuleChecks => ({
  vehicle: ({ position }: VehiclePosition) => (position ? check(position) : 0),
});

/** 1 for a number that is set and not within bounds; what is no number is within none. */
const outside = (value: number | undefined, least: number, most: number): number =>
  once(value !== undefined && !(value >= least && value <= most));

/** Rules about where vehicles are and how they move. */
export const positionRules: readonly Rule[] = [
  {
    id: 'E026',
    title: 'a position is not on the globe',
    severity: 'error',
    checks: ofPositions(({ latitude, longitude }) =>
      once(outside(latitude, -90, 90) + outside(longitude, -180, 180) > 0),
    ),
  },
  {
    id: 'E027',
    title: 'a bearing is not between 0 and 360 degrees',
    severity: 'error',
    checks: ofPositions(({ bearing }) => outside(bearing, 0, 360)),
  },
  {
    id: 'W004',
    title: `a speed is negative or above ${LIMIT_SPEED} metres per second`,
    severity: 'warning',
    checks: ofPositions(({ speed }) => outside(speed, 0, LIMIT_SPEED)),
  },
  {
    id: 'position-at-zero',
    title: 'a vehicle is at latitude 0 and longitude 0',
    severity: 'warning',
    checks: ofPositions(({ latitude, longitude }) => once(latitude === 0 && longitude === 0)),
  },
];
