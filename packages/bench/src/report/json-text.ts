/** JSON with an indentation of two spaces and a line break at its end; lists of numbers stay in one line. */
export function jsonText(value: object): string {
  // Strings have no line breaks of their own in JSON, so that nothing inside of them looks like such a list.
  const text = JSON.stringify(value, null, 2).replace(
    /\[\n\s+(-?[\d.eE+-]+(?:,\n\s+-?[\d.eE+-]+)*)\n\s+\]/g,
    (_, list) => `[${String(list).replace(/,\n\s+/g, ', ')}]`,
  );
  return `${text}\n`;
}
