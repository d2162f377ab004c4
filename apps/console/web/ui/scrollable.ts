/** A ref for an element that scrolls by itself: it takes the focus, so that the keys that scroll work in every browser. */
export function scrollable(element: HTMLElement | null): void {
  if (element) element.tabIndex = 0;
}
