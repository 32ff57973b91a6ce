/** The value of `--name VALUE` on the command line. */
export function argument(/** @type {string} */ name, /** @type {string} */ otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return (at < 0 ? undefined : process.argv[at + 1]) ?? otherwise;
}
