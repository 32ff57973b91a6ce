const UNITS = [
  { letter: 'D', ms: 86_400_000 },
  { letter: 'H', ms: 3_600_000 },
  { letter: 'M', ms: 60_000 },
] as const;

/**
 * A time span as an `xsd:duration`, in days and less: such as `P7D`, `PT1H30M` or `PT0.5S`.
 *
 * @param ms - milliseconds, a whole number, 0 or more
 * @see https://www.w3.org/TR/xmlschema11-2/#duration
 */
export function xsdDuration(ms: number): string {
  let rest = ms;
  const [days, hours, minutes] = UNITS.map((unit) => {
    const count = Math.floor(rest / unit.ms);
    rest -= count * unit.ms;
    return count === 0 ? '' : `${count}${unit.letter}`;
  });
  const seconds = rest === 0 ? '' : `${rest / 1000}S`;
  const time = `${hours}${minutes}${seconds}`;
  if (time !== '') return `P${days}T${time}`;
  return days === '' ? 'PT0S' : `P${days}`;
}
