const DATE_TIME =
  /^(\d{4}-(\d\d)-(\d\d))T(?:([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?$/;

/**
 * Whether a text is an `xsd:dateTime` that readers of streams take: of the years 0000 to 9999.
 *
 * @see https://www.w3.org/TR/xmlschema11-2/#dateTime
 */
export function isXsdDateTime(text: string): boolean {
  const [, date, month, day] = DATE_TIME.exec(text) ?? [];
  if (date === undefined) return false;
  const midnight = new Date(`${date}T00:00:00Z`);
  // The 30th of February would be taken for the 2nd of March.
  return midnight.getUTCMonth() + 1 === Number(month) && midnight.getUTCDate() === Number(day);
}
