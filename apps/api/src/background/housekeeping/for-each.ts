/**
 * Works on up to `atOnce` items at a time, and throws an error of `work` at the end. An error ends one of the `atOnce`
 * workers; the others continue with the remaining items.
 */
export async function forEach<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const workers = Array.from({ length: atOnce }, async () => {
    for (const item of waiting) await work(item);
  });
  for (const end of await Promise.allSettled(workers)) {
    if (end.status === 'rejected') throw end.reason;
  }
}
