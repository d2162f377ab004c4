import type { ReactVirtualizer } from '@tanstack/react-virtual';

/** Renders only those rows of a long list that can be seen. */
export { useVirtualizer as useLongList } from '@tanstack/react-virtual';

export type LongList = ReactVirtualizer<HTMLElement, HTMLElement>;
