/** Lets everything else that waits in this thread have its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    // Browsers have no `setImmediate`.
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
