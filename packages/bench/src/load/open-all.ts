/** Opens all, so many at a time. */
export async function openAll(readers: readonly { open(): Promise<void> }[], opening: number): Promise<void> {
  const left = readers.values();
  const one = async () => {
    for (const reader of left) await reader.open();
  };
  await Promise.all(Array.from({ length: opening }, one));
}
