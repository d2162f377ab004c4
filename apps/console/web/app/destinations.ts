import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface Named {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly icon: ReactNode;
}

export type Destination = Named &
  ({ readonly link: Pick<LinkProps, 'to' | 'params' | 'search'> } | { readonly run: () => void });

const MAX_FOUND = 50;

/**
 * Returns up to `MAX_FOUND` destinations whose name contains every word of `text`: first those whose name begins with the first
 * word, then the others, in order.
 */
export function matching<Item extends { readonly name: string }>(
  destinations: readonly Item[],
  text: string,
): readonly Item[] {
  const words = fold(text).split(/\s+/).filter(Boolean);
  const isFound = ({ name }: Item) => words.every((word) => fold(name).includes(word));
  const found = destinations.filter(isFound);
  const begins = ({ name }: Item) => fold(name).startsWith(words[0] ?? '');
  return [...found.filter(begins), ...found.filter((item) => !begins(item))].slice(0, MAX_FOUND);
}

function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
