/** A mapping by the names that the library has for its keys. */
export function renamed(values: object, names: Readonly<Record<string, string>>): Record<string, never> {
  const entries = Object.entries(values).map(([name, value]) => [names[name] ?? name, value] as const);
  return Object.fromEntries(entries) as Record<string, never>;
}
