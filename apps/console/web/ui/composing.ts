/** The code of each key that an input method takes. */
const TAKEN = 229;

/**
 * Returns whether an input method takes a key, such as the Enter that accepts a character. Safari ends the composition before
 * that Enter, so only the code of the key shows it (WebKit bug 165004).
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === TAKEN;
}
