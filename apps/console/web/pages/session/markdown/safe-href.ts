const SAFE = /^(?:https?:\/\/|mailto:)/i;

/** Returns the address of a link that may be followed; undefined for `javascript:`, `data:`, relative addresses and the like. */
export function safeHref(href: string): string | undefined {
  return SAFE.test(href) && URL.canParse(href) ? href : undefined;
}
