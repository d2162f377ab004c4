import type { ReactVirtualizer } from '@tanstack/react-virtual';

export { useVirtualizer as useLongList } from '@tanstack/react-virtual';

export type LongList = ReactVirtualizer<HTMLElement, HTMLElement>;
