const MOST_OMITTED = 2;

/** Checking a session for a second room costs nearly a millisecond of CPU time, so quiet sessions are checked less often. */
export class OmittedChecks {
  #isUnchanged = false;
  #omitted = 0;

  roomChanged(): void {
    this.#isUnchanged = false;
  }

  omitsNext(isCalm: boolean): boolean {
    const isOmitted = isCalm && this.#isUnchanged && this.#omitted < MOST_OMITTED;
    this.#omitted = isOmitted ? this.#omitted + 1 : 0;
    // The check covers all changes until now. A change while it runs causes the next check.
    this.#isUnchanged = true;
    return isOmitted;
  }
}
