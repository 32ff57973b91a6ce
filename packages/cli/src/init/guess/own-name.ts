/**
 * The name of a property after its field: the last name on the way to it, or as many as nobody else has.
 *
 * @param way - the names on the way to the field
 * @param taken - the names that others have; gets this one
 */
export function ownName(way: readonly string[], taken: Set<string>): string {
  const names = way.map((_, index) => camelCase(way.slice(-1 - index)));
  let name = names.find((candidate) => !taken.has(candidate));
  for (let number = 2; name === undefined || taken.has(name); number += 1) name = `${names.at(-1)}${number}`;
  taken.add(name);
  return name;
}

/** The name of a class after that of a stream: of one of them. */
export function className(stream: string): string {
  const name = camelCase([stream]);
  const one = name.length > 3 ? name.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '') : name;
  return one.charAt(0).toUpperCase() + one.slice(1);
}

function camelCase(names: readonly string[]): string {
  const words = names.flatMap((name) => name.split(/[^\p{L}\p{N}]+/u)).filter((word) => word !== '');
  const joined = words.map((word, index) => (index === 0 ? first(word) : word.charAt(0).toUpperCase() + word.slice(1)));
  // Names of RDF prefixes hold digits anywhere, but this is said of something.
  return joined.join('') || 'value';
}

function first(word: string): string {
  return word === word.toUpperCase() ? word.toLowerCase() : word.charAt(0).toLowerCase() + word.slice(1);
}
