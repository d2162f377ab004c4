/** Returns items with their positions, as keys: a text that grows only changes at its end, so no item moves. */
export function numbered<Item>(items: readonly Item[]): { position: number; item: Item }[] {
  return items.map((item, position) => ({ position, item }));
}
