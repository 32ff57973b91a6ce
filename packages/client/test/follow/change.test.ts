import type { Member } from '@ldes-live/rdf-stream';
import type { Quad } from '@rdfjs/types';
import { expectTypeOf, test } from 'vitest';
import type { Change, GapChange, MemberChange } from '../../src/index.ts';

test('MAL-74 what a change is tells what it has', () => {
  const read = (change: Change) => {
    if (change.kind === 'gap') {
      expectTypeOf(change).toEqualTypeOf<GapChange>();
      expectTypeOf(change.from).toEqualTypeOf<string>();
      expectTypeOf(change.member).toEqualTypeOf<undefined>();
    } else {
      expectTypeOf(change).toEqualTypeOf<MemberChange>();
      expectTypeOf(change.kind).toEqualTypeOf<'upsert' | 'delete'>();
      expectTypeOf(change.member).toEqualTypeOf<Member>();
      expectTypeOf(change.member.quads).toEqualTypeOf<readonly Quad[]>();
      expectTypeOf(change.lagMs).toEqualTypeOf<number>();
    }
    expectTypeOf(change.cursor).toEqualTypeOf<string>();
    expectTypeOf(change.via).toEqualTypeOf<'pull' | 'push'>();
  };
  expectTypeOf(read).returns.toEqualTypeOf<void>();
});

test('MAL-74 a change cannot be changed', () => {
  expectTypeOf<MemberChange>().toEqualTypeOf<Readonly<MemberChange>>();
  expectTypeOf<GapChange>().toEqualTypeOf<Readonly<GapChange>>();
});
