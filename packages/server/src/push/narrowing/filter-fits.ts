import type { PacketSubject } from '../packets/packet.ts';
import { boxHas } from './box-has.ts';
import type { Box, PushFilter, WasWhere } from './push-filter.ts';

/**
 * Whether a reader wants a member.
 *
 * @param subject - what the member is about
 * @param was - where its entity was before it; one that may have been in a box is told of, since it may have left it
 * @see specs/push.md PUSH-20, PUSH-24
 */
export function fits({ entities, types, boxes }: PushFilter, subject: PacketSubject, was: WasWhere): boolean {
  if (entities.size > 0 && !entities.has(subject.entity)) return false;
  // What a delete is of, and where that was, only those can tell who had it.
  if (subject.kind === 'delete') return true;
  if (types.size > 0 && !subject.types.some((type) => types.has(type))) return false;
  return boxes.length === 0 || isInOne(boxes, subject.position) || isInOne(boxes, was);
}

function isInOne(boxes: readonly Box[], where: WasWhere): boolean {
  if (where === 'unknown') return true;
  if (where === undefined || where === 'nowhere') return false;
  return boxes.some((box) => boxHas(box, where));
}
