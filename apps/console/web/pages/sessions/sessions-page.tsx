/** The sessions of a project. */
export function SessionsPage() {
  return <h1 className="text-head font-strong">Sessions</h1>;
}
