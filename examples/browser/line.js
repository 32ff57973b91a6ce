/** @typedef {import('@ldes-live/client/browser').MemberChange['member']} Member */

/**
 * @typedef {object} Line the route that a vehicle runs
 * @property {string} name
 * @property {string} colour - as CSS has it
 */

/**
 * What a member of a timetable says of a route; `undefined` of all else.
 *
 * @param {Member} member
 * @returns {Line | undefined}
 */
export function readLine({ id, entity, quads }) {
  /** @param {string} term - how the property's IRI ends */
  const said = (term) =>
    quads.find(({ subject, predicate }) => subject.value === id && predicate.value.endsWith(`#${term}`))?.object.value;
  if (!said('type')?.endsWith('#Route')) return undefined;
  const name = [said('shortName'), said('longName')].filter(Boolean).join(' ');
  const colour = said('color');
  const unnamed = unknownLine(entity);
  return { name: name || unnamed.name, colour: colour ? `#${colour}` : unnamed.colour };
}

/**
 * A line that no timetable names: its colour is the same for the same name, as light as the page's colours ask.
 *
 * @param {string} route - its IRI
 * @returns {Line}
 */
export function unknownLine(route) {
  const name = decodeURIComponent(/[^/#]*$/.exec(route)?.[0] ?? route);
  // The golden angle keeps the hues of neighbouring numbers apart.
  const number = [...name].reduce((sum, character) => sum * 7 + character.charCodeAt(0), 0);
  return { name, colour: `oklch(var(--route-lightness) 0.15 ${((number * 137.5) % 360).toFixed(1)})` };
}
