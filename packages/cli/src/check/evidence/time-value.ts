import { xsd } from '@ldes-live/rdf-stream';
import type { Term } from '@rdfjs/types';

const DATE_TIME = /^(-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?$/;

/**
 * The instant of an xsd:dateTime in nanoseconds, so that no digit of one gets lost; one without timezone is taken
 * for UTC. `undefined` when the term is none.
 */
export function instantOf(term: Term): bigint | undefined {
  const [, seconds, fraction = '', zone = 'Z'] = DATE_TIME.exec(term.value) ?? [];
  const ms = seconds === undefined ? Number.NaN : Date.parse(`${seconds}${zone}`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}

/** Whether a term is an xsd:dateTime that does not say in which timezone. */
export function lacksTimezone(term: Term): boolean {
  return (
    term.termType === 'Literal' &&
    term.datatype.value === xsd.dateTime &&
    DATE_TIME.exec(term.value)?.[3] === undefined &&
    DATE_TIME.test(term.value)
  );
}

/** A number for what orders by size; `undefined` where two terms cannot be compared. */
export function compareTerms(left: Term, right: Term): number | undefined {
  const [leftInstant, rightInstant] = [instantOf(left), instantOf(right)];
  if (leftInstant !== undefined && rightInstant !== undefined) return sign(leftInstant, rightInstant);
  if (leftInstant !== undefined || rightInstant !== undefined) return undefined;
  const [leftNumber, rightNumber] = [numberOf(left), numberOf(right)];
  return Number.isNaN(leftNumber) || Number.isNaN(rightNumber) ? undefined : sign(leftNumber, rightNumber);
}

function numberOf(term: Term): number {
  return term.termType === 'Literal' && term.value.trim() !== '' ? Number(term.value) : Number.NaN;
}

function sign<Value extends bigint | number>(left: Value, right: Value): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
