const MOST_OMITTED = 2;

/**
 * Decides which checks of a session for a second room are omitted. Each check is a request to the server, which takes most of
 * a millisecond of the recorder's CPU time. So a session is checked every time while anything changes, and less often while
 * its room stays as it was.
 */
export class OmittedChecks {
  #isUnchanged = false;
  #omitted = 0;

  roomChanged(): void {
    this.#isUnchanged = false;
  }

  omitsNext(isCalm: boolean): boolean {
    const isOmitted = isCalm && this.#isUnchanged && this.#omitted < MOST_OMITTED;
    this.#omitted = isOmitted ? this.#omitted + 1 : 0;
    // The check sees what changed until now. What changes while it runs makes the next one run, too.
    this.#isUnchanged = true;
    return isOmitted;
  }
}
