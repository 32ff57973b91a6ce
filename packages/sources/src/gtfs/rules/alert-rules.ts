import type { Alert, EntitySelector } from '../feed-entities.ts';
import { once, type Rule, type RuleChecks } from './rule.ts';

/** A check of each selector of an alert. */
const ofSelectors = (check: (selector: EntitySelector) => number): RuleChecks => ({
  alert: ({ informed_entity: selectors = [] }: Alert) => {
    let count = 0;
    for (const selector of selectors) count += check(selector);
    return count;
  },
});

const namesNothing = (selector: EntitySelector): boolean => {
  const { agency_id: agency, route_id: route, route_type: type, stop_id: stop, trip } = selector;
  if (agency || route || type !== undefined || stop) return false;
  return !(trip?.trip_id || trip?.route_id || trip?.modified_trip);
};

/** Rules about alerts. */
export const alertRules: readonly Rule[] = [
  {
    id: 'E031',
    title: 'a selector of an alert names a route, and a trip of another route',
    severity: 'error',
    checks: ofSelectors(({ route_id: route, trip }) =>
      once(route !== undefined && trip?.route_id !== undefined && route !== trip.route_id),
    ),
  },
  {
    id: 'E032',
    title: 'an alert does not say whom it informs',
    severity: 'error',
    checks: { alert: ({ informed_entity: selectors = [] }) => once(selectors.length === 0) },
  },
  {
    id: 'E033',
    title: 'a selector of an alert names no agency, route, trip or stop',
    severity: 'error',
    checks: ofSelectors((selector) => once(namesNothing(selector))),
  },
];
