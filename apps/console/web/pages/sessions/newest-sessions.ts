import type { ListedSession } from '@session/contract';

export interface SessionsPage {
  readonly items: readonly ListedSession[];
  readonly nextCursor: string | null;
}

export interface SessionPages {
  readonly pages: SessionsPage[];
  readonly pageParams: unknown[];
}

/**
 * Returns the pages read so far, updated by a first page that was read later: with new and changed sessions, and without
 * deleted ones, as far down as that first page reaches. Older pages are not read again.
 */
export function withNewest(read: SessionPages, newest: SessionsPage): SessionPages {
  const oldest = newest.items.at(-1);
  const [first, ...rest] = read.pages;
  const alone = { pages: [newest], pageParams: [undefined] };
  if (!first || !oldest || newest.nextCursor === null) return alone;
  const ids = new Set(newest.items.map(({ id }) => id));
  // Sessions that were never read may lie between the newest page and the others.
  if (!read.pages.some(({ items }) => items.some(({ id }) => ids.has(id)))) return alone;
  const older = (items: SessionsPage['items']) => items.filter((item) => isOlder(item, oldest));
  const kept = older(first.items);
  const joined = {
    items: [...newest.items, ...kept],
    nextCursor: kept.length ? first.nextCursor : newest.nextCursor,
  };
  const others = rest.map((page) => ({ ...page, items: older(page.items) }));
  return { ...read, pages: [joined, ...others] };
}

export function withChanged(
  read: SessionPages,
  changed: Partial<ListedSession> & { readonly id: string },
): SessionPages {
  const pages = read.pages.map((page) => ({
    ...page,
    items: page.items.map((item) => (item.id === changed.id ? { ...item, ...changed } : item)),
  }));
  return { ...read, pages };
}

export function without(read: SessionPages, id: string): SessionPages {
  const pages = read.pages.map((page) => ({
    ...page,
    items: page.items.filter((item) => item.id !== id),
  }));
  return { ...read, pages };
}

function isOlder(session: ListedSession, other: ListedSession): boolean {
  const { createdAt, id } = session;
  if (createdAt !== other.createdAt) return createdAt < other.createdAt;
  return id < other.id;
}
