/** A conversation. */
export function SessionPage() {
  return <h1 className="text-head font-strong">Session</h1>;
}
