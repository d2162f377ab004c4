/**
 * Works on up to `atOnce` items at a time. After an error no further item is begun, and the error is thrown at the end.
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
