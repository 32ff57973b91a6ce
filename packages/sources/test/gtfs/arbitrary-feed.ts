import { fc } from '@ldes-live/test-support/properties';
import { enums, type FeedEntity, type FeedMessage } from '../../src/gtfs/generated/gtfs-realtime.ts';
import {
  type EnumName,
  type MessageName,
  type MessagePlan,
  type PlannedField,
  planOf,
} from '../../src/gtfs/messages.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 6 });

/** Any value of a message of the descriptor: each optional field set or not. */
export function arbitraryMessage(name: MessageName): fc.Arbitrary<object> {
  return message(planOf(name));
}

/** Any feed of a known version. */
export const arbitraryFeed = fc
  .record(
    {
      header: arbitraryMessage('FeedHeader').map((header) => ({ ...header, gtfs_realtime_version: '2.0' })),
      entity: fc.array(arbitraryMessage('FeedEntity') as fc.Arbitrary<FeedEntity>, { minLength: 1, maxLength: 3 }),
    },
    { noNullPrototype: true },
  )
  .map((feed) => feed as unknown as FeedMessage);

function message(plan: MessagePlan): fc.Arbitrary<object> {
  const fields = plan.fields.map((field) => {
    const one = field.message ? message(field.message) : scalar(field);
    return [field.name, field.repeated ? fc.array(one, { minLength: 1, maxLength: 2 }) : one] as const;
  });
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [...plan.required],
    noNullPrototype: true,
  });
}

function scalar(field: PlannedField): fc.Arbitrary<unknown> {
  switch (field.type) {
    case 'string':
      return text;
    case 'bool':
      return fc.boolean();
    case 'uint32':
      return fc.integer({ min: 0, max: 0xffffffff });
    case 'int32':
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    case 'uint64':
      return fc.maxSafeNat();
    case 'int64':
      return fc.maxSafeInteger();
    case 'float':
      return fc.float();
    case 'double':
      return fc.double();
    case 'enum':
      return fc.constantFrom(...Object.keys(enums[field.of as EnumName]));
    default:
      throw new Error(`no values for ${field.type}`);
  }
}

/** Some of them, always the same. */
export function sampleFeeds(count: number): FeedMessage[] {
  return fc.sample(arbitraryFeed, { numRuns: count, seed: 7 });
}
