/**
 * A colour for a route: the same for the same name, as light as the page's colours ask.
 *
 * @param {string} route
 */
export function routeColour(route) {
  // The golden angle keeps the hues of neighbouring numbers apart.
  const number = [...route].reduce((sum, character) => sum * 7 + character.charCodeAt(0), 0);
  return `oklch(var(--route-lightness) 0.15 ${((number * 137.5) % 360).toFixed(1)})`;
}
