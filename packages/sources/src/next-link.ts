// A comma may stand in a target and in a quoted value; only one that stands in neither ends a link.
const LINK = /<([^>]*)>((?:"(?:[^"\\]|\\.)*"|[^",])*)/g;

const PARAMETER = /;\s*([^\s=;,"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]+))/g;

/**
 * The target of the first link of relation `next` in a `Link` field.
 *
 * @param field - the value of the field, several joined by commas
 * @see https://www.rfc-editor.org/rfc/rfc8288#section-3
 */
export function nextLink(field: string): string | undefined {
  for (const [, target, parameters = ''] of field.matchAll(LINK)) {
    const relation = [...parameters.matchAll(PARAMETER)].find(([, name]) => name?.toLowerCase() === 'rel');
    const names = (relation?.[2] ?? relation?.[3] ?? '').toLowerCase().split(/\s+/);
    if (names.includes('next')) return target;
  }
  return undefined;
}
