import { type CallOptions, reading } from './call.ts';
import type { Transport } from './transport.ts';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

export interface ListOptions extends CallOptions {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A list. Awaiting it returns the first page. Iterating over it yields every item, and reads pages as they are needed. */
export interface List<Item> extends Promise<Page<Item>>, AsyncIterable<Item> {
  /** Returns the first `limit` items, from as many pages as necessary. */
  toArray(options: { readonly limit: number }): Promise<Item[]>;
}

export function listOf<Item>(
  transport: Transport,
  path: string,
  { signal, ...query }: ListOptions = {},
): List<Item> {
  const read = (cursor = query.cursor) =>
    transport.json<Page<Item>>({ ...reading(path, { signal }), query: { ...query, cursor } });
  const first = read();
  async function* items(): AsyncGenerator<Item, void> {
    for (let page = await first; ; ) {
      yield* page.items;
      if (page.nextCursor === null) return;
      page = await read(page.nextCursor);
    }
  }
  const toArray: List<Item>['toArray'] = async ({ limit }) => {
    const found: Item[] = [];
    for await (const item of items()) {
      if (found.length >= limit || found.push(item) >= limit) break;
    }
    return found;
  };
  return Object.assign(first, { [Symbol.asyncIterator]: items, toArray });
}
