import type { Scalar } from './sample-fields.ts';

/** How times are written that are not those of ISO 8601. */
export interface WrittenTime {
  readonly form: 'local' | 'date';
  /** As the converters `local` and `date` take it. */
  readonly format: string;
  /** Whether the days of the sample could be months as well. */
  readonly isUnsure: boolean;
}

const WRITTEN = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?: (\d{1,2}):\d\d(:\d\d)?)?$/;

/** The format that all values are written in, such as `dd/MM/yyyy HH:mm`; `undefined` where there is none. */
export function writtenTime(values: readonly Scalar[]): WrittenTime | undefined {
  const all = values.map((value) => WRITTEN.exec(String(value)));
  const found = all.filter((match) => match !== null);
  const [first] = found;
  if (!first || found.length < all.length) return undefined;
  const [, , mark, , , hour, seconds] = first;
  const isAlike = found.every(
    (match) => match[2] === mark && (match[5] === undefined) === (hour === undefined) && !match[6] === !seconds,
  );
  const isOver12 = (group: 1 | 3) => found.some((match) => Number(match[group]) > 12);
  if (!isAlike || (isOver12(1) && isOver12(3))) return undefined;
  const isMonthFirst = isOver12(3);
  const letters = (letter: string, group: 1 | 3 | 5) =>
    found.every((match) => match[group]?.length === 2) ? letter.repeat(2) : letter;
  const [one, two] = isMonthFirst ? ['M', 'd'] : ['d', 'M'];
  const date = `${letters(one, 1)}${mark}${letters(two, 3)}${mark}yyyy`;
  return {
    form: hour === undefined ? 'date' : 'local',
    format: hour === undefined ? date : `${date} ${letters('H', 5)}:mm${seconds === undefined ? '' : ':ss'}`,
    isUnsure: !isOver12(1) && !isOver12(3),
  };
}
