/** A ref for a scrollable element: makes it focusable, so that scrolling by keys works in every browser. */
export function scrollable(element: HTMLElement | null): void {
  if (element) element.tabIndex = 0;
}
