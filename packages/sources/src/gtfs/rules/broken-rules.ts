import type { FeedMessage } from '../feed-message.ts';
import type { EntityContext, Rule, RuleChecks, RuleContext } from './rule.ts';
import { rules } from './rules.ts';

type Check<Subject extends keyof RuleChecks> = NonNullable<RuleChecks[Subject]>;
type Checks<Subject extends keyof RuleChecks> = readonly { readonly index: number; readonly check: Check<Subject> }[];

function checksOf<Subject extends keyof RuleChecks>(subject: Subject): Checks<Subject> {
  return rules.flatMap(({ checks }: Rule, index) => {
    const check = checks[subject];
    return check ? [{ index, check: check as Check<Subject> }] : [];
  });
}

// Sorted out once, so that no entity is asked for what no rule looks at.
const ofFeed = checksOf('feed');
const ofEntity = checksOf('entity');
const ofTripUpdate = checksOf('tripUpdate');
const ofVehicle = checksOf('vehicle');
const ofAlert = checksOf('alert');

/**
 * The rules that a feed breaks, and how often. Pure; a feed that breaks rules is a feed all the same.
 *
 * @param context - the present, and the feed seen before
 * @returns counts by the id of the rule, in the order of ids; without those that it keeps
 * @see specs/gtfs-realtime.md GTFS-50
 */
export function brokenRules(feed: FeedMessage, context: RuleContext): Record<string, number> {
  const { header, entity: entities = [] } = feed;
  const counts = new Array<number>(rules.length).fill(0);
  const about: EntityContext = { nowSeconds: context.nowSeconds, header };
  for (const { index, check } of ofFeed) (counts[index] as number) += check(feed, context);
  for (const entity of entities) {
    const { trip_update: update, vehicle, alert } = entity;
    for (const { index, check } of ofEntity) (counts[index] as number) += check(entity, header);
    if (update) for (const { index, check } of ofTripUpdate) (counts[index] as number) += check(update, about);
    if (vehicle) for (const { index, check } of ofVehicle) (counts[index] as number) += check(vehicle, about);
    if (alert) for (const { index, check } of ofAlert) (counts[index] as number) += check(alert, about);
  }
  return Object.fromEntries(rules.flatMap(({ id }, index) => (counts[index] ? [[id, counts[index]]] : [])));
}
