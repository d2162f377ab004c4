export interface PageState {
  /** Whether nobody sees the page. A hidden page holds no request open: browsers allow few to one server. */
  readonly isHidden: boolean;
  /** How often a hidden page reads what is new, in milliseconds. */
  readonly hiddenMs: number;
  /** Calls `listener` when the page is hidden or shown, and when it may have missed something, until `signal` aborts. */
  readonly watch: (listener: () => void, signal: AbortSignal) => void;
}
