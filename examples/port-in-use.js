/**
 * Ends a program whose port somebody else has, by a sentence; other errors are thrown.
 *
 * @param {number} port
 * @param {string} choose what to say to have another port
 * @returns {(error: NodeJS.ErrnoException) => never}
 */
export function portInUse(port, choose) {
  return (error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    process.stderr.write(
      `Port ${port} is in use: stop the program that listens there, or choose another by ${choose}.\n`,
    );
    process.exit(1);
  };
}
