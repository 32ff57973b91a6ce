const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Replaces each `${NAME}` by the environment variable of that name, so that keys need not stand in a file.
 *
 * @returns the text, and the names that the environment lacks
 */
export function expandEnvironment(text: string, environment: Environment): { text: string; missing: string[] } {
  const missing: string[] = [];
  const expanded = text.replaceAll(PLACEHOLDER, (_, name: string) => {
    const value = environment[name];
    if (value === undefined) missing.push(name);
    return value ?? '';
  });
  return { text: expanded, missing };
}
