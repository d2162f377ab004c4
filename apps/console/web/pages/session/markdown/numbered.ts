/** Returns items with their positions as keys. A growing text changes only at its end, so no item moves. */
export function numbered<Item>(items: readonly Item[]): { position: number; item: Item }[] {
  return items.map((item, position) => ({ position, item }));
}
